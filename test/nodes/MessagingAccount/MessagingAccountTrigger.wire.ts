import type { IDataObject, NodeError } from 'n8n-workflow';

import { N8N_FEATURES } from '../../support/n8nFeatures';
import { Poller } from '../../support/poller';
import { useScriptedServer, type Script } from '../../support/scriptedServer';

const LIST = [{ id: 1 }];

const server = useScriptedServer();

const trigger = (event?: string, options?: IDataObject) => new Poller(server, options, event);

async function errorOf(poller: Poller): Promise<NodeError> {
	const result = await poller.poll().catch((error: NodeError) => error);
	expect(result).toBeInstanceOf(Error);
	return result as NodeError;
}

const after = (status: number, s: number) => ({ status, headers: { 'retry-after': String(s) } });

test.each<[string, Script, cause: string | undefined, retryAfterMs: number | undefined, number]>([
	['HTTP 401', { status: 401 }, 'credential-invalid', undefined, 1],
	['HTTP 403', { status: 403 }, 'credential-invalid', undefined, 1],
	['HTTP 401 while logged out', { status: 401, body: 'session closed' }, undefined, undefined, 1],
	["a firewall's HTTP 403", { status: 403, body: '<html></html>' }, undefined, undefined, 1],
	['a web page', { body: '<html></html>' }, undefined, undefined, 1],
	['HTTP 429 for an hour', after(429, 3600), 'rate-limited', 3_600_000, 1],
	['HTTP 429 for longer than a poll may take', after(429, 56), 'rate-limited', 56_000, 1],
	['HTTP 429', { status: 429 }, 'rate-limited', undefined, 3],
	['HTTP 500', { status: 500 }, 'temporarily-unavailable', undefined, 3],
	['HTTP 503 for two minutes', after(503, 120), 'temporarily-unavailable', 120_000, 1],
])(
	'a failed poll with %s tells n8n why, and is retried if that is useful',
	async (_what, script, cause, retryAfterMs, attempts) => {
		server.respondWith(script);
		const error = await errorOf(trigger());
		const isTold = N8N_FEATURES.failureHint && cause !== undefined;
		expect(error.failure).toEqual(isTold ? { cause, retryAfterMs } : undefined);
		expect(server.requests).toHaveLength(attempts);
		if (attempts > 1) expect(error.description).toContain(`Tried ${attempts} times.`);
	},
);

describe('when a workflow is published', () => {
	const publish = async (poller: Poller) => await poller.activate().catch((error: Error) => error);

	test('what may pass is reported by the next poll only', async () => {
		const poller = trigger();
		server.respondWith({ status: 502 });
		expect(await publish(poller)).toBeNull();
		expect(poller.warnings).toEqual([
			expect.stringMatching(/: This poll failed: .+\. The next one is made as scheduled\.$/),
		]);
		await errorOf(poller);
	});

	test('a refusal is reported at once, for the first time', async () => {
		server.respondWith({ status: 401 });
		expect(await publish(trigger())).toBeInstanceOf(Error);
	});

	test.each([
		['newMessage', LIST],
		['connectionChanged', { is_connected: true }],
	])('a refusal is reported by the next poll of %s, after others', async (event, body) => {
		const poller = trigger(event);
		server.respondWith({ body });
		await publish(poller);
		server.respondWith({ status: 401 });
		expect(await publish(poller)).toBeNull();
		await errorOf(poller);
	});

	test('a credential that cannot be used is reported at once', async () => {
		const poller = trigger();
		server.respondWith({ body: LIST });
		await publish(poller);
		poller.credential = { ...poller.credential, baseUrl: 'x' };
		expect(await publish(poller)).toMatchObject({
			message: expect.stringContaining("'Base URL'") as string,
			description: expect.stringContaining('https://') as string,
		});
	});
});

test('an unknown event is refused', async () => {
	const error = await errorOf(trigger('nothing'));
	expect(error.message).toBe("'nothing' is not a choice of 'Trigger On'");
	expect(error.description).toBe('Choose one of Connection Changed, New Message.');
	expect(server.requests).toEqual([]);
});

describe('the time limit of a poll', () => {
	/** Stops the clock; the returned function advances it. */
	function stopClock(): (ms: number) => void {
		let now = performance.now();
		jest.spyOn(performance, 'now').mockImplementation(() => now);
		return (ms) => (now += ms);
	}

	(N8N_FEATURES.pollBudget ? test : test.skip)('is what n8n allows, if that is less', async () => {
		const poller = trigger();
		poller.budgetMs = 36_000;
		server.respondWith(after(429, 40));
		expect((await errorOf(poller)).message).toContain('Too many requests');
		expect(server.requests).toHaveLength(1);
	});

	test('leaves a request the remaining time', async () => {
		const advance = stopClock();
		server.onRequest(() => {
			const isFirst = server.requests.length === 1;
			advance(isFirst ? 54_000 : 1000);
			return isFirst ? { status: 500 } : () => {};
		});
		expect((await errorOf(trigger())).message).toContain('did not respond within 1 s');
		expect(server.requests).toHaveLength(2);
	});

	test('allows no further page when hardly any time is left, and the messages so far are emitted', async () => {
		const poller = trigger('newMessage', { pageParameter: 'p', gapOutput: true });
		server.respondWith({ body: LIST });
		await poller.poll();
		const advance = stopClock();
		server.onRequest(({ path }) => {
			advance(23_000);
			return { body: [{ id: path }] };
		});
		const [items, gaps] = (await poller.poll())!;
		expect(items.map(({ json }) => json.id)).toEqual(['/v1/messages?p=1', '/v1/messages?p=0']);
		expect(gaps).toHaveLength(1);
	});
});
