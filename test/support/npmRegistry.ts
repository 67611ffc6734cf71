import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

import { startScriptedServer, type ScriptedServer } from './scriptedServer';
import { CERTIFICATE, KEY } from './tlsPeer';

/** npm's own registry, as a proxy is asked for it. */
const NPM = 'registry.npmjs.org:443';

/**
 * Starts an npm registry that has one package, and nothing else.
 *
 * @param versions oldest first; all have the same content
 */
export async function startRegistry(
	name: string,
	versions: string[],
	tarball: Buffer,
): Promise<ScriptedServer> {
	const server = await startScriptedServer();
	const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
	const dist = { tarball: `${server.url}/${name}.tgz`, integrity };
	const document = {
		name,
		'dist-tags': { latest: versions.at(-1) },
		versions: Object.fromEntries(versions.map((version) => [version, { name, version, dist }])),
	};
	server.onRequest(({ path }) => {
		if (path === `/${name}`) return { body: document };
		if (path !== `/${name}.tgz`) return { status: 404 };
		return (response) => response.end(tarball);
	});
	return server;
}

/** Environment variables that make npm install from such a registry. */
export function createNpmSettings({ url }: ScriptedServer): Record<string, string> {
	return {
		npm_config_registry: url,
		// It has no n8n-workflow, and n8n brings its own.
		npm_config_legacy_peer_deps: 'true',
		// It answers no other requests.
		npm_config_audit: 'false',
		npm_config_update_notifier: 'false',
		npm_config_fetch_retries: '0',
	};
}

export interface NpmProxy {
	/** Environment variables for n8n. */
	env: Record<string, string>;
	close(): Promise<void>;
}

/**
 * Starts an HTTPS proxy that takes whoever asks for npm's own registry to the one at `registryUrl`, and connects to nothing
 * else. n8n hands npm that address, and accepts another registry only with a license.
 */
export async function startNpmProxy(registryUrl: string): Promise<NpmProxy> {
	const sockets = new Set<Socket>();
	const server = createServer();
	server.on('connect', ({ url }, client: Socket) => {
		sockets.add(client);
		client.on('error', () => {});
		if (url !== NPM) {
			client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
			return;
		}
		client.write('HTTP/1.1 200 Connection established\r\n\r\n');
		const decrypted = new TLSSocket(client, { isServer: true, key: KEY, cert: CERTIFICATE });
		const registry = connect(Number(new URL(registryUrl).port), '127.0.0.1');
		for (const socket of [decrypted, registry]) socket.on('error', () => client.destroy());
		client.on('close', () => registry.destroy());
		decrypted.pipe(registry).pipe(decrypted);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		env: {
			HTTPS_PROXY: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
			NO_PROXY: '127.0.0.1',
			// The certificate is not one of npm's.
			npm_config_strict_ssl: 'false',
			// n8n looks for updates at the registry of npm's settings.
			npm_config_registry: registryUrl,
			npm_config_update_notifier: 'false',
		},
		async close() {
			for (const socket of sockets) socket.destroy();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
