const { dest, src } = require('gulp');

/** Copies what n8n reads beside the compiled nodes: icons and codex files. */
function assets() {
	// `encoding: false` keeps gulp from rewriting bytes.
	return src('nodes/**/*.{svg,json}', { encoding: false }).pipe(dest('dist/nodes'));
}

exports.build = assets;
