/* eslint-disable @n8n/community-nodes/no-restricted-globals -- runs as a process of its own */
import { Pool } from 'undici';

/** What is to be sent. */
export interface RawJob {
	url: string;
	headers: Record<string, string>;
	picture: string;
	items: number;
	/** As many connections are kept alive. */
	concurrency: number;
}

/** Sends with undici and nothing else, and tells its parent process the ms that it took. */
process.on('message', (job: RawJob) => {
	// What goes wrong ends the process, which its parent notices.
	void send(job).then((ms) => process.send!(ms));
});

async function send({ url, headers, picture, items, concurrency }: RawJob): Promise<number> {
	const pool = new Pool(url, { connections: concurrency });
	const start = performance.now();
	let next = 0;
	const work = async () => {
		while (next < items) {
			const i = next++;
			const { body, statusCode } = await pool.request({
				method: 'POST',
				path: '/v1/sendImage',
				headers: { ...headers, 'content-type': 'application/json' },
				body: JSON.stringify({
					number: String(491_500_000_000 + i),
					url: picture,
					caption: `Order ${i} is on its way`,
				}),
			});
			await body.json();
			if (statusCode !== 200) throw new Error(`The service answers ${statusCode}`);
		}
	};
	await Promise.all(Array.from({ length: concurrency }, work));
	const ms = performance.now() - start;
	await pool.close();
	return ms;
}
