import type { INodeParameters, NodeError } from 'n8n-workflow';

import { CREDENTIAL } from '../../support/engine';
import { N8N_FEATURES } from '../../support/n8nFeatures';
import { useNoJitter } from '../../support/noJitter';
import { Poller } from '../../support/poller';
import { useScriptedServer, type Script } from '../../support/scriptedServer';

const LIST = [{ id: 1 }];

useNoJitter();
const server = useScriptedServer();

function trigger(parameters: INodeParameters = { event: 'newMessage' }): Poller {
	return new Poller(parameters, { baseUrl: server.url, ...CREDENTIAL });
}

async function errorOf(poller: Poller): Promise<NodeError> {
	const result = await poller.poll().catch((error: NodeError) => error);
	expect(result).toBeInstanceOf(Error);
	return result as NodeError;
}

describe.each(['newMessage', 'connectionChanged'])('a failed poll of %s', (event) => {
	test.each([
		['HTTP 401', { status: 401 }, { cause: 'credential-invalid' }, 1],
		['HTTP 403', { status: 403 }, { cause: 'credential-invalid' }, 1],
		['HTTP 404', { status: 404 }, undefined, 1],
		['HTTP 302', { status: 302, headers: { location: 'https://example.com' } }, undefined, 1],
		['a web page', { body: '<html></html>' }, undefined, 1],
		[
			'HTTP 429 for an hour',
			{ status: 429, headers: { 'retry-after': '3600' } },
			{ cause: 'rate-limited', retryAfterMs: 3_600_000 },
			1,
		],
		['HTTP 429', { status: 429 }, { cause: 'rate-limited' }, 3],
		['HTTP 500', { status: 500 }, { cause: 'temporarily-unavailable' }, 3],
		[
			'HTTP 503 for two minutes',
			{ status: 503, headers: { 'retry-after': '120' } },
			{ cause: 'temporarily-unavailable', retryAfterMs: 120_000 },
			1,
		],
		[
			'a dropped connection',
			(_response, socket) => socket.destroy(),
			{ cause: 'temporarily-unavailable' },
			3,
		],
	] as Array<[string, Script, object | undefined, number]>)(
		'with %s tells n8n why, and is retried if that is useful',
		async (_what, script, failure, attempts) => {
			server.respondWith(script);
			const error = await errorOf(trigger({ event }));
			expect(error.failure).toEqual(N8N_FEATURES.failureHint ? failure : undefined);
			expect(server.requests).toHaveLength(attempts);
			if (attempts > 1) expect(error.description).toContain(`Tried ${attempts} times.`);
		},
	);

	test('contains no secrets of the request', async () => {
		server.onRequest(({ headers }) => ({
			status: 400,
			body: { message: `token ${String(headers.token)} of ${String(headers['client-id'])}` },
		}));
		const error = await errorOf(trigger({ event }));
		expect(error.message).toBe('token *** of *** (HTTP 400)');
		const stored = JSON.stringify([error, error.message, error.cause, error.stack]);
		expect(stored).not.toContain(CREDENTIAL.token);
		expect(stored).not.toContain(CREDENTIAL.clientId);
	});
});

describe.each(['newMessage', 'connectionChanged'])(
	'when a workflow is published with %s',
	(event) => {
		const ANSWERS = { newMessage: LIST, connectionChanged: { is_connected: true } };
		const answer = { body: ANSWERS[event as keyof typeof ANSWERS] };
		const FAULTS: Array<[string, Script]> = [
			['HTTP 429', { status: 429 }],
			['HTTP 502', { status: 502 }],
			['a dropped connection', (_response, socket) => socket.destroy()],
		];
		const REFUSALS: Array<[string, Script]> = [
			['HTTP 401', { status: 401 }],
			['HTTP 404', { status: 404 }],
			['a web page', { body: '<html></html>' }],
		];
		const publish = async (poller: Poller) =>
			await poller.activate().catch((error: Error) => error);

		test.each(FAULTS)('%s is reported by the next poll only', async (_what, script) => {
			const poller = trigger({ event });
			server.respondWith(script);
			expect(await publish(poller)).toBeNull();
			expect(poller.warnings).toEqual([
				expect.stringMatching(/: The first poll failed: .+\. The next one is made as scheduled\.$/),
			]);
			await errorOf(poller);
		});

		test.each(REFUSALS)('%s is reported at once, for the first time', async (_what, script) => {
			server.respondWith(script);
			expect(await publish(trigger({ event }))).toBeInstanceOf(Error);
		});

		test.each(REFUSALS)('%s is reported by the next poll, after others', async (_what, script) => {
			const poller = trigger({ event });
			server.respondWith(answer);
			await publish(poller);
			server.respondWith(script);
			expect(await publish(poller)).toBeNull();
			await errorOf(poller);
		});

		test('a credential that cannot be used is reported at once', async () => {
			const poller = trigger({ event });
			server.respondWith(answer);
			await publish(poller);
			poller.credential = { ...poller.credential, baseUrl: 'x' };
			expect(await publish(poller)).toBeInstanceOf(Error);
		});
	},
);

test('an error about the credential names the field', async () => {
	const poller = trigger();
	poller.credential = { ...CREDENTIAL, baseUrl: 'nonsense' };
	const error = await errorOf(poller);
	expect(error.message).toContain("'Base URL'");
	expect(error.description).toContain('https://');
});

test('an unknown event is refused', async () => {
	const error = await errorOf(trigger({ event: 'nothing' }));
	expect(error.message).toBe("'Trigger On' has no 'nothing'");
	expect(error.description).toBe('Choose one of Connection Changed, New Message.');
	expect(server.requests).toEqual([]);
});

describe('the time limit of a poll', () => {
	/** Stops the clock; the returned function advances it. */
	function stopClock(): (ms: number) => void {
		let now = Date.now();
		jest.spyOn(Date, 'now').mockImplementation(() => now);
		return (ms) => {
			now += ms;
		};
	}

	test('allows no delay beyond a minute', async () => {
		server.respondWith({ status: 429, headers: { 'retry-after': '56' } });
		const { description, failure } = await errorOf(trigger());
		expect(description).toContain('The service asks to wait 56 s.');
		const hint = { cause: 'rate-limited', retryAfterMs: 56_000 };
		expect(failure).toEqual(N8N_FEATURES.failureHint ? hint : undefined);
		expect(server.requests).toHaveLength(1);
	});

	(N8N_FEATURES.pollBudget ? test : test.skip)(
		'is the time that n8n allows, if that is shorter',
		async () => {
			const poller = trigger();
			poller.budgetMs = 36_000;
			server.respondWith({ status: 429, headers: { 'retry-after': '40' } });
			expect((await errorOf(poller)).message).toContain('Too many requests');
			expect(server.requests).toHaveLength(1);
		},
	);

	test('leaves a request the remaining time', async () => {
		const advance = stopClock();
		server.onRequest(() => {
			const isFirst = server.requests.length === 1;
			advance(isFirst ? 54_950 : 50);
			return isFirst ? { status: 500 } : () => {};
		});
		const error = await errorOf(trigger());
		expect(error.message).toContain('did not respond within 0.05 s');
		expect(server.requests).toHaveLength(2);
	});

	test('allows no further page when hardly any time is left, and the messages so far are emitted', async () => {
		const poller = trigger({
			event: 'newMessage',
			options: { pageParameter: 'p', gapOutput: true },
		});
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
