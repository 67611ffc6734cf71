import type { IDataObject } from 'n8n-workflow';

import * as sleeping from '../../../../nodes/MessagingAccount/n8n/sleep';
import { CREDENTIAL, executeAt, type RunConditions } from '../../../support/engine';
import { readTable } from '../../../support/tables';
import { CONTINUE, useSends } from '../../../support/sends';

const { server } = useSends();

const ACCOUNTS = [
	{ id: 'client-a', tok: 'token-of-a' },
	{ id: 'client-b', tok: 'token-of-b' },
	{ id: 'client-c', tok: 'token-of-c' },
];
/** An item for each account, all to the same number. */
const ITEMS = ACCOUNTS.map((account) => ({ ...account, phone: '12025550143' }));

const own = () => ({ baseUrl: server.url, clientId: '={{ $json.id }}', token: '={{ $json.tok }}' });

/** Runs the node, with On Error set to Continue. */
async function run(operation: string, more: RunConditions = {}, options: IDataObject = {}) {
	const parameters = { number: '={{ $json.phone }}', options };
	const defaults = { items: ITEMS, settings: CONTINUE, credential: own(), executionId: '1' };
	return (await executeAt(server, defaults)(operation, parameters, more)).json;
}

const accounts = () =>
	server.requests.map(({ headers }) => ({ id: headers['client-id'], tok: headers.token }));

beforeEach(() => {
	let sent = 0;
	server.onRequest(({ method }) => ({
		body: method === 'POST' ? { id: `m${++sent}` } : { is_connected: true },
	}));
});

test.each(['getStatus', 'sendImage'])('%s uses the account of each item', async (operation) => {
	await run(operation);
	expect(accounts()).toEqual(ACCOUNTS);
});

test('Get Messages returns the messages of each account', async () => {
	server.onRequest(({ headers }) => ({ body: [{ to: String(headers['client-id']).slice(-1) }] }));
	expect(await run('getMessages')).toEqual([{ to: 'a' }, { to: 'b' }, { to: 'c' }]);
});

test.each(['baseUrl', 'clientId', 'token'])('%s alone may differ', async (field) => {
	const credential = { baseUrl: server.url, ...CREDENTIAL, [field]: '={{ $json.value }}' };
	const values = field === 'baseUrl' ? ['/a', '/b'].map((path) => server.url + path) : ['v1', 'v2'];
	await run('getStatus', { credential, items: values.map((value) => ({ value })) });
	const used = server.requests.map(({ headers, path }) =>
		field === 'baseUrl'
			? server.url + path.replace('/v1/status', '')
			: headers[field === 'token' ? 'token' : 'client-id'],
	);
	expect(used).toEqual(values);
});

test('an item without its part of the credential fails alone, and sends nothing', async () => {
	const items = [ITEMS[0], { phone: '12025550144' }, ITEMS[2]];
	const [first, second, third] = await run('sendImage', { items });
	expect([first, third]).toEqual([{ id: 'm1' }, { id: 'm2' }]);
	expect(second.error).toMatchObject({
		message: "'Client ID' in the credential is empty [item 1]",
		delivery: 'notSent',
	});
	expect(accounts()).toEqual([ACCOUNTS[0], ACCOUNTS[2]]);
});

/** A field and an expression in it that has a part without a value for the second account. */
const LACKING = `
clientId → ={{ $json.id + "-" + $json.suffix }} | ={{ $json.id }}{{ $json.suffix }} | ={{ $json.suffix }}{{ $json.id }}
	={{ [$json.id, $json.suffix.toUpperCase()].join("-") }} | =client-{{ $json.one }}{{ $json.suffix }}
	=client-{{ $json.blank }} | ={{ (({ id, suffix }) => id + suffix)($json) }}
token → ={{ "tok-" + $json.suffix }} | ={{ \`tok-\${$json.suffix}\` }} | =tok-{{ $json.blank }}
	={{ "tok" + $json.none }} | ={{ $json.suffix.padStart(3, "0") }}
baseUrl → ={{ $json.url + "/" + $json.suffix }} | ={{ \`\${$json.url}/\${$json.suffix}\` }} | ={{ $json.url }}/{{ $json.suffix }}{{ $json.tok }}
`;

test.each(readTable(LACKING))('%s %s fails alone, and sends nothing', async (field, entered) => {
	const filled = {
		...ACCOUNTS[0],
		url: server.url,
		one: 1,
		suffix: 'a',
		blank: 'b',
		none: 'c',
		phone: '12025550143',
	};
	const lacking = { ...filled, suffix: '', blank: ' ', none: null, phone: '12025550144' };
	const credential = { ...own(), [field]: entered };
	const [first, second] = await run('sendImage', { items: [filled, lacking], credential });
	expect(first).toEqual({ id: 'm1' });
	expect(second.error).toMatchObject({
		message: expect.stringMatching(/' in the credential has an empty part \[item 1\]$/) as string,
		delivery: 'notSent',
	});
	expect(server.requests).toHaveLength(1);
});

test.each([
	'={{ $json.empty || $json.id }}',
	'={{ $json.id + ($json.empty ?? "") }}',
	'={{ $json.region ? $json.region + "-" + $json.id : $json.id }}',
	'={{ $json.id + $json.dash + 1 }}',
	'={{ [$json.empty, $json.id].filter(Boolean).join("") }}',
	'={{ $json.id.slice(0, 9) }}-{{ $json.id.length }}',
])('the Client ID %s is not taken for one that lacks a part', async (clientId) => {
	const items = [{ ...ITEMS[0], empty: '', dash: '-' }];
	const credential = { ...own(), clientId };
	expect(await run('sendImage', { items, credential })).toEqual([{ id: 'm1' }]);
});

test('the secrets of each account are masked in its own response', async () => {
	server.onRequest(({ headers }) => ({ body: { id: '1', echo: headers.token, of: 'token-of-a' } }));
	const [first, second] = await run('sendImage');
	expect(first).toMatchObject({ echo: '***', of: '***' });
	expect(second).toMatchObject({ echo: '***', of: 'token-of-a' });
});

test.each([
	['once for a list if no field is an expression', CREDENTIAL.token, 1],
	['once for a list if it cannot be used', 'tok\u00e9n', 1],
	['once more if n8n may have to fill in a field', '', 2],
])('the credential is read and decrypted %s', async (_when, token, expected) => {
	let reads = 0;
	const credential = { baseUrl: server.url, ...CREDENTIAL, token };
	await run('sendImage', { onCredentialRead: () => reads++, credential });
	expect(reads).toBe(expected);
});

describe('an account of its own has', () => {
	const options = { sendOnceId: '={{ $json.phone }}' };
	const ALL_SKIPPED = ITEMS.map(() => ({ skipped: true }));

	test('IDs of its own', async () => {
		expect(await run('sendImage', {}, options)).toEqual([{ id: 'm1' }, { id: 'm2' }, { id: 'm3' }]);
		expect(await run('sendImage', { executionId: '2' }, options)).toMatchObject(ALL_SKIPPED);
	});

	test('no IDs of a fixed account, which keeps them if its Client ID changes', async () => {
		const fixed = (clientId: string) => ({ baseUrl: server.url, ...CREDENTIAL, clientId });
		const items = [ITEMS[0]];
		await run('sendImage', { items, credential: fixed('a') }, options);
		const changed = { items, credential: fixed('b'), executionId: '2' };
		expect(await run('sendImage', changed, options)).toMatchObject([{ skipped: true }]);
		const own = await run('sendImage', { items, executionId: '3' }, options);
		expect(own).toEqual([{ id: 'm2' }]);
	});

	test('IDs of its own in a dry run', async () => {
		const outputs = await run('sendImage', {}, { ...options, dryRun: true });
		expect(outputs.filter(({ skipped }) => skipped)).toEqual([]);
	});
});

test('a retry does not take for sent what another account has sent to the same number', async () => {
	const context = {};
	await run('sendImage', { items: [ITEMS[0]], context });
	const retried = { context: structuredClone(context), mode: 'retry', executionId: '2' } as const;
	const again = await run('sendImage', { ...retried, items: [ITEMS[1], ITEMS[0]] });
	expect(again).toEqual([{ id: 'm2' }, { id: 'm1' }]);
});

test('with a pace per account, accounts do not wait for one another', async () => {
	const { sleepUnlessAborted } = sleeping;
	const delayBetweenSends = 3_600_000;
	let waits = 0;
	jest.spyOn(sleeping, 'sleepUnlessAborted').mockImplementation(async (ms, signal) => {
		const isPace = ms > delayBetweenSends / 2;
		if (isPace) waits++;
		return isPace || (await sleepUnlessAborted(ms, signal));
	});
	const options = { pacePerAccount: true, delayBetweenSends };
	await run('sendImage', { items: [...ITEMS, ITEMS[0]] }, options);
	expect(accounts()).toEqual([...ACCOUNTS, ACCOUNTS[0]]);
	// Only the fourth send, the second of its account.
	expect(waits).toBe(1);
});
