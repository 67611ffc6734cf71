import Fastify from 'fastify';

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
	server.get('/', async (_request, reply) =>
		reply
			.type('text/html; charset=utf-8')
			.header('set-cookie', `${cookie}; Path=/; HttpOnly; SameSite=Lax`)
			.send(page(urls)),
	);
	const url = await server.listen({ host: HOST, port });
	return { url, close: async () => await server.close() };
}

/** Environment variables for n8n that let a split view on `port` frame it. */
export function allowFraming(port: number): Record<string, string> {
	return { N8N_CONTENT_SECURITY_POLICY: `frame-ancestors 'self' http://${HOST}:${port}` };
}

function page({ n8n, phone }: SplitViewUrls): string {
	return `<!doctype html>
<html lang="en">
<head>
	<meta charset="utf-8">
	<title>n8n and the phone</title>
	<link rel="icon" href="data:,">
	<style>
		body { display: grid; grid-template-columns: 1fr minmax(18rem, 24rem); height: 100vh; margin: 0; }
		iframe { width: 100%; height: 100%; border: 0; }
		iframe + iframe { box-shadow: 0 0 0.5rem #0006; }
	</style>
</head>
<body>
	<iframe src="${n8n}" title="n8n" allow="clipboard-read; clipboard-write"></iframe>
	<iframe src="${phone}" title="Phone"></iframe>
</body>
</html>
`;
}
