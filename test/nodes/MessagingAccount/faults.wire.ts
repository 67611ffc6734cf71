import { NodeApiError, type IDataObject, type JsonObject } from 'n8n-workflow';

import { classify } from '../../../nodes/MessagingAccount/errors/classifyResult';
import { findNetworkCode } from '../../../nodes/MessagingAccount/errors/networkCode';
import { DEFAULT_TIMEOUT_MS } from '../../../nodes/MessagingAccount/transport/request';
import { caseCount } from '../../support/testSize';
import { CREDENTIAL, executeAt } from '../../support/engine';
import { type Fault, FAULTS } from '../../support/faults';
import { useScriptedServer, type Script } from '../../support/scriptedServer';
import { CONTINUE } from '../../support/sends';
import { numberOf, requestedNumbers } from '../../support/sendService';
import { interceptRequests, NOT_SIMULATED } from '../../support/simulation';
import { createSingleNodeWorkflow } from '../../support/singleNodeWorkflow';

const NUMBER = { number: '=4915100{{ $json.number }}' };

const server = useScriptedServer();
const execute = executeAt(server, { settings: CONTINUE });

afterEach(() => jest.useRealTimers());

/**
 * Lets a request that hangs time out as soon as all has happened that can: no verdict depends on how long that takes.
 *
 * @returns a function to call when the server has it
 */
function createTimeout({ hangsAfter }: Pick<Fault, 'hangsAfter'>): () => void {
	if (!hangsAfter) return () => {};
	jest.useFakeTimers({ doNotFake: NOT_SIMULATED, advanceTimers: true });
	const timeOut = () => void setImmediate(() => jest.advanceTimersByTime(DEFAULT_TIMEOUT_MS));
	if (hangsAfter === 'request') return timeOut;
	let hangs = false;
	interceptRequests(async (send, signal) => {
		const response = await send(signal);
		if (hangs) timeOut();
		hangs = false;
		return response;
	});
	return () => (hangs = true);
}

const ENDLESS: Script = (_response, socket) =>
	socket.write('HTTP/1.1 422 No\r\ncontent-length: 100\r\n\r\n{"mess');
const TOO_LONG = { message: 'No', more: 'x'.repeat(65_536) };
const REFUSAL = FAULTS.find(({ name }) => name === 'HTTP 422')!;
const description = expect.stringMatching(/^Check the parameters/) as string;

/** An error response whose text cannot be read is still an error response, without its text. */
const UNREADABLE = [
	{ name: 'HTTP 422, an endless body', script: ENDLESS, hangsAfter: 'status' as const },
	{ name: 'HTTP 422, a body of more than 64 kB', script: { status: 422, body: TOO_LONG } },
].map((fault) => ({ ...REFUSAL, ...fault, error: { httpCode: '422', description } }));

const SEND_FAULTS: Array<Fault & { error?: object }> = [...FAULTS, ...UNREADABLE];

test.each(SEND_FAULTS)('a send with $name', async (fault) => {
	let delivered = 0;
	const startTimeout = createTimeout(fault);
	server.onRequest((request) => {
		if (numberOf(request) !== '49151002') return { body: { id: 'm' } };
		if (fault.delivers) delivered++;
		startTimeout();
		return fault.script;
	});
	const items = ['1', '2', '3'].map((number) => ({ number }));
	const [before, failed, after] = (await execute('sendImage', NUMBER, { items })).json;
	const { message, description, delivery } = failed.error as IDataObject;

	expect([before, after]).toEqual([{ id: 'm' }, { id: 'm' }]);
	expect(failed.error).toMatchObject({ delivery: fault.delivery, ...fault.error });
	expect(delivered).toBe(fault.delivers ? 1 : 0);
	const attempts = requestedNumbers(server).filter((number) => number === '49151002');
	expect(attempts).toHaveLength(fault.attempts.send);
	expect(message).toContain('[item 1]');
	if (delivery === 'unknown') {
		expect(description).toContain('check the chat');
		expect(`${String(message)} ${String(description)}`).not.toMatch(/retry|try again/i);
	}
});

test('many recipients, a fault on every fifth request: no duplicates, none missing', async () => {
	const count = caseCount(1000, 0.3);
	const faults = FAULTS.filter(({ hangsAfter }) => !hangsAfter);
	// If the first item is uncertain, n8n always runs the node again.
	faults.unshift(faults.find(({ delivery }) => delivery === 'unknown')!);
	const delivered: string[] = [];
	let uncertain = 0;
	server.onRequest((request) => {
		const turn = (server.requests.length - 1) / 5;
		// None if the turn is a fraction.
		const fault = faults[turn % faults.length] as Fault | undefined;
		if (fault?.delivery === 'unknown') uncertain++;
		if (fault?.delivers ?? true) delivered.push(numberOf(request));
		return fault?.script ?? { body: { id: `m${numberOf(request)}` } };
	});
	const items = Array.from({ length: count }, (_, i) => ({ number: `${1000 + i}` }));
	const settings = { ...CONTINUE, retryOnFail: true, maxTries: 5, waitBetweenTries: 1 };
	const parameters = { ...NUMBER, options: { concurrency: 10 } };
	const { json } = await execute('sendImage', parameters, { items, settings });

	const numbers = items.map(({ number }) => `4915100${number}`);
	const endings = json.map(({ id, error }, i) =>
		id === `m${numbers[i]}` ? 'sent' : (error as IDataObject).delivery,
	);
	const countOf = (ending: string) => endings.filter((one) => one === ending).length;
	// The service had each message whose outcome is unknown.
	expect(delivered.sort()).toEqual(numbers.filter((_, i) => endings[i] !== 'notSent'));
	expect(countOf('sent') + countOf('unknown') + countOf('notSent')).toBe(count);
	expect(countOf('sent')).toBeGreaterThan(0.8 * count);
	expect(countOf('unknown')).toBe(uncertain);
	expect(server.requests.length).toBeGreaterThan(count);
});

// All reads are made in the same way.
test.each(FAULTS)('getStatus is retried only if that is useful after $name', async (fault) => {
	const startTimeout = createTimeout(fault);
	server.onRequest(() => {
		startTimeout();
		return fault.script;
	});
	const { json } = await execute('getStatus');
	expect(json[0]).toHaveProperty('error.message');
	expect(json[0]).not.toHaveProperty('error.delivery');
	expect(server.requests).toHaveLength(fault.attempts.read);
});

/** n8n-core's helper wraps the error of its SSRF protection in one of this n8n version. */
test.each([
	'The request was blocked because it resolves to a restricted IP address',
	'The request was blocked because the destination hostname is restricted',
])('a request that n8n blocks counts as not sent: %s', (message) => {
	const blocked = Object.assign(new Error(message), { name: 'SsrfBlockedIpError' });
	const { node } = createSingleNodeWorkflow({ parameters: {} });
	const code = findNetworkCode(new NodeApiError(node, blocked as unknown as JsonObject));
	expect(classify({ code })).toEqual({ delivery: 'notSent', retryable: 'never' });
});

test('getMessages outputs a list of 14 MB', async () => {
	const text = 'x'.repeat(140_000);
	const messages = Array.from({ length: 100 }, (_, id) => ({ id, text }));
	server.respondWith({ body: messages });
	const { json } = await execute('getMessages', {}, { settings: {} });
	expect(json).toHaveLength(100);
	expect(json[99]).toEqual(messages[99]);
});

test('JSON as a web page, with a byte order mark and duplicate headers, can be used', async () => {
	server.respondWith((response) => {
		const headers = ['content-type', 'text/html', 'x-twice', 'a', 'x-twice', 'b'];
		response.writeHead(200, headers).end('\ufeff{"id": "m1"}');
	});
	expect((await execute('sendImage')).json).toEqual([{ id: 'm1' }]);
});

const named = { by: CREDENTIAL.token, $error: { message: CREDENTIAL.clientId }, $json: {} };
const renamed = { by: '***', _$error: { message: '***' }, _$json: {} };

test.each([
	['sendImage', { id: 'm', ...named }, [{ id: 'm', ...renamed }]],
	['getMessages', [named, { error: 'Gone' }], [renamed, { value: { error: 'Gone' } }]],
])('all of %s arrives but secrets and names that n8n uses', async (operation, body, expected) => {
	server.respondWith({ body });
	const settings = { onError: 'continueErrorOutput' } as const;
	const { outputs, json, stored } = await execute(operation, {}, { settings });
	expect([json, outputs[1] ?? []]).toEqual([expected, []]);
	expect(stored).not.toContain(CREDENTIAL.clientId);
	expect(stored).not.toContain(CREDENTIAL.token);
});
