const { execFile } = require('node:child_process');
const { rm } = require('node:fs/promises');
const { join } = require('node:path');
const { Transform } = require('node:stream');

const { dest, series, src, watch } = require('gulp');
const ts = require('typescript');

const TSCONFIG = 'tsconfig.build.json';
const ASSETS = 'nodes/**/*.{svg,json}';

/** `npm run dev` sets its own folder: a build or pack running at the same time empties `dist`. */
const outDir = process.env.BUILD_FOLDER ?? 'dist';

const clean = () => rm(outDir, { recursive: true, force: true });

const compile = (done) => {
	const tsc = require.resolve('typescript/bin/tsc');
	execFile(process.execPath, [tsc, '-p', TSCONFIG, '--outDir', outDir], (error, stdout) => {
		done(error ? new Error(stdout || error.message) : undefined);
	});
};

/** Indents with tabs instead of the compiler's four spaces: less to download. */
const useTabs = () => {
	const toTabs = (spaces) => '\t'.repeat(spaces.length / 4);
	const indent = (file, _encoding, done) => {
		file.contents = Buffer.from(String(file.contents).replace(/^( {4})+/gm, toTabs));
		done(null, file);
	};
	const files = src(join(outDir, '**/*.js'));
	return files.pipe(new Transform({ objectMode: true, transform: indent })).pipe(dest(outDir));
};

/** Copies icons and codex files, which n8n reads next to the compiled nodes. */
const assets = () =>
	// Without `encoding: false` gulp decodes the files as text.
	src(ASSETS, { encoding: false }).pipe(dest(join(outDir, 'nodes')));

const watchAssets = (done) => {
	watch(ASSETS, assets);
	done();
};

/** Like `tsc --watch`, but in this process: no child process can outlive it. */
const compileAndWatch = (done) => {
	const options = { outDir, preserveWatchOutput: true };
	ts.createWatchProgram(ts.createWatchCompilerHost(TSCONFIG, options, ts.sys));
	done();
};

exports.build = series(clean, compile, useTabs, assets);
exports['build:watch'] = series(clean, assets, watchAssets, compileAndWatch);
