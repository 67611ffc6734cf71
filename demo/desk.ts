import Fastify from 'fastify';

const HOST = '127.0.0.1';

/** What stands side by side. */
export interface Sides {
	/** An address of n8n, e.g. a workflow. */
	n8n: string;
	phone: string;
}

export interface Desk {
	/** e.g. http://127.0.0.1:3041 */
	url: string;
	close(): Promise<void>;
}

/**
 * Serves a page with n8n on one side and the phone on the other, so that a workflow and its effect are seen together.
 * n8n has to be told who may frame it: see `framedBy`.
 *
 * @param cookie n8n's, of its owner: whoever opens the page is spared to log in. Browsers keep cookies by host and not by
 *   port, which is what makes this work
 */
export async function startDesk(port: number, sides: Sides, cookie: string): Promise<Desk> {
	const server = Fastify({ forceCloseConnections: true });
	server.get('/', async (_request, reply) =>
		reply
			.type('text/html; charset=utf-8')
			.header('set-cookie', `${cookie}; Path=/; HttpOnly; SameSite=Lax`)
			.send(page(sides)),
	);
	const url = await server.listen({ host: HOST, port });
	return { url, close: async () => await server.close() };
}

/** The setting of an n8n that stands on a desk at this port. */
export function framedBy(port: number): Record<string, string> {
	return { N8N_CONTENT_SECURITY_POLICY: `frame-ancestors 'self' http://${HOST}:${port}` };
}

function page({ n8n, phone }: Sides): string {
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
