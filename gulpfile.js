const { execFile } = require('node:child_process');
const { rm } = require('node:fs/promises');

const { dest, series, src } = require('gulp');

const clean = () => rm('dist', { recursive: true, force: true });

const compile = (done) => {
	const tsc = require.resolve('typescript/bin/tsc');
	execFile(process.execPath, [tsc, '-p', 'tsconfig.build.json'], (error, findings) => {
		done(error ? new Error(findings || error.message) : undefined);
	});
};

/** What n8n reads beside the compiled nodes: icons and codex files. */
const assets = () =>
	// Without `encoding: false` gulp takes the files for text.
	src('nodes/**/*.{svg,json}', { encoding: false }).pipe(dest('dist/nodes'));

exports.build = series(clean, compile, assets);
