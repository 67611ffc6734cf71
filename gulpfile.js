const { execFile } = require('node:child_process');
const { rm } = require('node:fs/promises');
const { join } = require('node:path');

const { dest, series, src, watch } = require('gulp');
const ts = require('typescript');

const TSCONFIG = 'tsconfig.build.json';
const ASSETS = 'nodes/**/*.{svg,json}';

/** `npm run dev` names another folder: what builds and packs the package meanwhile empties `dist`. */
const folder = process.env.BUILD_FOLDER ?? 'dist';

const clean = () => rm(folder, { recursive: true, force: true });

const compile = (done) => {
	const tsc = require.resolve('typescript/bin/tsc');
	execFile(process.execPath, [tsc, '-p', TSCONFIG, '--outDir', folder], (error, findings) => {
		done(error ? new Error(findings || error.message) : undefined);
	});
};

/** What n8n reads beside the compiled nodes: icons and codex files. */
const assets = () =>
	// Without `encoding: false` gulp takes the files for text.
	src(ASSETS, { encoding: false }).pipe(dest(join(folder, 'nodes')));

const watchAssets = (done) => {
	watch(ASSETS, assets);
	done();
};

/** As `tsc --watch` does, but in this process, so that nothing is left when it ends. */
const compileAndWatch = (done) => {
	const options = { outDir: folder, preserveWatchOutput: true };
	ts.createWatchProgram(ts.createWatchCompilerHost(TSCONFIG, options, ts.sys));
	done();
};

exports.build = series(clean, compile, assets);
exports['build:watch'] = series(clean, assets, watchAssets, compileAndWatch);
