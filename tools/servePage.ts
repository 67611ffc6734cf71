import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

import type { FastifyInstance } from 'fastify';

const TYPES: Record<string, string> = {
	'.html': 'text/html; charset=utf-8',
	'.css': 'text/css; charset=utf-8',
	'.js': 'text/javascript; charset=utf-8',
};

/** Serves `page.html` of a folder at `/`, and its stylesheets and scripts by their names. Reads them anew for each request. */
export function servePage(server: FastifyInstance, folder: string): void {
	for (const file of readdirSync(folder)) {
		const type = TYPES[extname(file)];
		if (!type) continue;
		server.get(file === 'page.html' ? '/' : `/${file}`, async (_request, reply) =>
			reply.type(type).send(await readFile(join(folder, file))),
		);
	}
}
