import { Pool } from 'undici';

/** What to send. */
export interface RawJob {
	url: string;
	headers: Record<string, string>;
	picture: string;
	items: number;
	/** Also the number of kept-alive connections. */
	concurrency: number;
}

/** Sends with nothing but undici, and reports the time in ms to the parent process. */
process.on('message', (job: RawJob) => {
	// An error ends the process, which the parent notices.
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
			if (statusCode !== 200) throw new Error(`The service responded with HTTP ${statusCode}`);
		}
	};
	await Promise.all(Array.from({ length: concurrency }, work));
	const ms = performance.now() - start;
	await pool.close();
	return ms;
}
