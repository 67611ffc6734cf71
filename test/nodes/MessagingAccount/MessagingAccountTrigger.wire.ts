import type { INodeParameters, NodeError } from 'n8n-workflow';

import { CREDENTIAL } from '../../support/engine';
import { N8N_FEATURES } from '../../support/n8nFeatures';
import { Poller } from '../../support/poller';
import {
	startScriptedServer,
	type Script,
	type ScriptedServer,
} from '../../support/scriptedServer';

const LIST = [{ id: 1 }];

let server: ScriptedServer;

beforeEach(async () => {
	jest.spyOn(Math, 'random').mockReturnValue(0);
	server = await startScriptedServer();
});

afterEach(async () => {
	jest.restoreAllMocks();
	await server.close();
});

function trigger(parameters: INodeParameters = { event: 'newMessage' }): Poller {
	return new Poller(parameters, { baseUrl: server.url, ...CREDENTIAL });
}

async function errorOf(poller: Poller): Promise<NodeError> {
	const outcome = await poller.poll().catch((error: NodeError) => error);
	expect(outcome).toBeInstanceOf(Error);
	return outcome as NodeError;
}

describe.each(['newMessage', 'connectionChanged'])('a poll of %s that fails', (event) => {
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
			'a connection that breaks off',
			(_response, socket) => socket.destroy(),
			{ cause: 'temporarily-unavailable' },
			3,
		],
	] as Array<[string, Script, object | undefined, number]>)(
		'with %s tells n8n why, and was tried as often as that is worth it',
		async (_what, script, failure, tries) => {
			server.answer(script);
			const error = await errorOf(trigger({ event }));
			expect(error.failure).toEqual(N8N_FEATURES.failureHint ? failure : undefined);
			expect(server.requests).toHaveLength(tries);
			if (tries > 1) expect(error.description).toContain(`Tried ${tries} times.`);
		},
	);

	test('has nothing of the request in it', async () => {
		server.answerEach(({ headers }) => ({
			status: 400,
			body: { message: `token ${String(headers.token)} of ${String(headers['client-id'])}` },
		}));
		const error = await errorOf(trigger({ event }));
		expect(error.description).toContain('token *** of ***');
		const stored = JSON.stringify([error, error.message, error.cause, error.stack]);
		expect(stored).not.toContain(CREDENTIAL.token);
		expect(stored).not.toContain(CREDENTIAL.clientId);
	});
});

test('what cannot be used in the credential is told by its field', async () => {
	const poller = trigger();
	poller.credential = { ...CREDENTIAL, baseUrl: 'nonsense' };
	const error = await errorOf(poller);
	expect(error.message).toContain("'Base URL'");
	expect(error.description).toContain('https://');
});

test('an event that is none is refused', async () => {
	const error = await errorOf(trigger({ event: 'nothing' }));
	expect(error.message).toBe("'Trigger On' has no event 'nothing'");
	expect(error.description).toBe('Choose one of Connection Changed, New Message.');
	expect(server.requests).toEqual([]);
});

describe('the whole poll stays within a minute', () => {
	/** Lets a clock that stands still jump. */
	function stopClock(): (ms: number) => void {
		let now = Date.now();
		jest.spyOn(Date, 'now').mockImplementation(() => now);
		return (ms) => {
			now += ms;
		};
	}

	test('a wait that would be too long is not begun', async () => {
		server.answer({ status: 429, headers: { 'retry-after': '56' } });
		const { description, failure } = await errorOf(trigger());
		expect(description).toContain('It asks to wait 56 s.');
		const hint = { cause: 'rate-limited', retryAfterMs: 56_000 };
		expect(failure).toEqual(N8N_FEATURES.failureHint ? hint : undefined);
		expect(server.requests).toHaveLength(1);
	});

	(N8N_FEATURES.pollBudget ? test : test.skip)(
		'or within what n8n allows, where that is less',
		async () => {
			const poller = trigger();
			poller.budgetMs = 36_000;
			server.answer({ status: 429, headers: { 'retry-after': '40' } });
			expect((await errorOf(poller)).message).toContain('Too many requests');
			expect(server.requests).toHaveLength(1);
		},
	);

	test('a request has the time that is left', async () => {
		const advance = stopClock();
		server.answerEach(() => {
			const isFirst = server.requests.length === 1;
			advance(isFirst ? 54_950 : 50);
			return isFirst ? { status: 500 } : () => {};
		});
		const error = await errorOf(trigger());
		expect(error.message).toContain('did not respond within 0.05 s');
		expect(server.requests).toHaveLength(2);
	});

	test('no further page is begun when there is hardly time for it: what was read goes out', async () => {
		const poller = trigger({
			event: 'newMessage',
			options: { pageParameter: 'p', gapOutput: true },
		});
		server.answer({ body: LIST });
		await poller.poll();
		const advance = stopClock();
		server.answerEach(({ path }) => {
			advance(23_000);
			return { body: [{ id: path }] };
		});
		const [items, gaps] = (await poller.poll())!;
		expect(items.map(({ json }) => json.id)).toEqual(['/v1/messages?p=1', '/v1/messages?p=0']);
		expect(gaps).toHaveLength(1);
	});
});
