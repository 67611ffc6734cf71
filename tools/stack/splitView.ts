import { join } from 'node:path';

import Fastify from 'fastify';

import { servePage } from '../servePage';

const HOST = '127.0.0.1';

export interface SplitViewUrls {
	/** A page of n8n, e.g. a workflow. */
	n8n: string;
	phone: string;
}

export interface SplitView {
	/** e.g. http://127.0.0.1:3041 */
	url: string;
	close(): Promise<void>;
}

/**
 * Serves a page that shows n8n and the phone side by side, a workflow next to its effect. n8n must allow the page to frame
 * it: see `allowFraming`.
 *
 * @param cookie session of n8n's owner, as `name=value`. The page sets it, so its visitor is logged in to n8n: browsers
 *   scope cookies by host, not by port
 */
export async function startSplitView(
	port: number,
	urls: SplitViewUrls,
	cookie: string,
): Promise<SplitView> {
	const server = Fastify({ forceCloseConnections: true });
	server.addHook('onRequest', async (_request, reply) => {
		reply.header('set-cookie', `${cookie}; Path=/; HttpOnly; SameSite=Lax`);
	});
	servePage(server, join(__dirname, 'page'));
	// The page's frames.
	server.get('/n8n', async (_request, reply) => reply.redirect(urls.n8n));
	server.get('/phone', async (_request, reply) => reply.redirect(urls.phone));
	const url = await server.listen({ host: HOST, port });
	return { url, close: async () => await server.close() };
}

/** Environment variables for n8n that let a split view on `port` frame it. */
export function allowFraming(port: number): Record<string, string> {
	return { N8N_CONTENT_SECURITY_POLICY: `frame-ancestors 'self' http://${HOST}:${port}` };
}
