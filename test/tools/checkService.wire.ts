import { execFile } from 'node:child_process';

import { readAccount } from '../../nodes/MessagingAccount/transport/credential';
import { DEFAULT_TIMEOUT_MS } from '../../nodes/MessagingAccount/transport/request';
import { checkService } from '../../tools/checkService/checkService';
import { formatReport, isCompatible } from '../../tools/checkService/finding';
import { createRead } from '../../tools/checkService/serviceClient';
import { samplePicture } from '../../tools/embeddedService/samplePicture';
import { startService, type EmbeddedService } from '../../tools/embeddedService/service';
import { PROJECT } from '../../tools/n8n/install';
import { Account, createRandom } from '../services/account';
import type { SimulatedService } from '../services/simulatedService';
import { SERVICES } from '../services/services';
import { CREDENTIAL, executeAt } from '../support/engine';
import { FAULTS } from '../support/faults';
import { variants } from '../support/testSize';
import { useScriptedServer, type Script } from '../support/scriptedServer';
import { CONTINUE } from '../support/sends';
import { startTlsPeer } from '../support/tlsPeer';

const WORKS = 'The nodes work with this service.';
const WORKS_NOT = 'The nodes do not work with this service yet:';

async function check(baseUrl: string, credential = CREDENTIAL, timeout = DEFAULT_TIMEOUT_MS) {
	const account = readAccount({ baseUrl, ...credential });
	const findings = await checkService(account, createRead(account, timeout));
	const text = formatReport(findings);
	return {
		text,
		works: isCompatible(findings),
		verdict: text.split('\n').at(-1),
		settings: findings.flatMap(({ settings }) => settings ?? []),
		/** The sentences about a topic. */
		about(topic: string) {
			const ofTopic = findings.filter((finding) => finding.topic === topic);
			return ofTopic.flatMap(({ sentences }) => sentences).join(' ');
		},
	};
}

describe('at the embedded service', () => {
	let service: EmbeddedService;

	beforeEach(async () => {
		service = await startService(CREDENTIAL);
	});
	afterEach(async () => await service.close());

	function receive(count: number): void {
		for (let i = 0; i < count; i++) {
			const { sent_at } = service.account.receive({ number: '49151', text: `private ${i}` });
			// Otherwise many have the same time.
			service.account.messages[i].sent_at = new Date(Date.parse(sent_at) + i * 1000).toISOString();
		}
	}

	test('an account that waits for its scan can be used', async () => {
		const report = await check(service.url);
		expect(report.text).toBe(`\
! Status      The account is not connected: it waits for its QR scan.
              Its QR code is a valid PNG, which Get Status shows in n8n.
! Messages    The list is empty. Send a message to the account, then check again.

${WORKS}`);
	});

	test('a connected account', async () => {
		service.account.scan(service.account.qrText);
		service.account.listing = { newestFirst: false, wrapped: true };
		receive(12);
		const report = await check(service.url);
		expect(report.text).toBe(`\
✔ Status      Connected.
✔ Messages    12 messages, in the field 'messages' of an object.
✔ Message ID  In 'id'. New Message finds this without 'Message ID Field'.
✔ Order       The oldest first, as the times in 'sent_at' tell.
✔ Time        In 'sent_at': 'Limit' of Get Messages takes the newest ones.
✔ Fields      For 'Only Messages Where': id, direction, number, text, sent_at.
✔ Pages       None with 'page': each number gives the same list.
              If your service documents another name, add --page-parameter NAME to this command.

${WORKS}`);
	});

	test('a wrong token', async () => {
		const report = await check(service.url, { ...CREDENTIAL, token: 'another' });
		expect(report.text).toBe(`\
✖ Status      The client-id or token header is missing or wrong (HTTP 401).
              The service refused the request and gave this reason. Check 'Client ID' and 'Token' in the credential.
✖ Messages    The same.

${WORKS_NOT} its status cannot be read, and its messages cannot be read.`);
	});

	describe('the command', () => {
		const ENV = { MESSAGING_CLIENT_ID: CREDENTIAL.clientId, MESSAGING_TOKEN: CREDENTIAL.token };

		const run = (args: string[], env: Record<string, string> = ENV) =>
			new Promise((resolve) => {
				const command = ['--import', 'tsx', 'tools/checkService/cli.ts', ...args];
				const options = { cwd: PROJECT, env: { PATH: process.env.PATH, ...env } };
				execFile(process.execPath, command, options, (error, stdout, stderr) =>
					resolve({ code: error?.code ?? 0, stdout, stderr }),
				);
			});

		test.each([
			['exits with 0', CREDENTIAL.token, 0],
			['exits with 1 if the nodes do not work', 'another', 1],
		])('prints the report, and %s', async (_what, token, code) => {
			receive(12);
			const { text } = await check(service.url, { ...CREDENTIAL, token });
			const expected = { code, stdout: `${text}\n`, stderr: '' };
			const env = { ...ENV, MESSAGING_TOKEN: token };
			expect(await run([`${service.url}/v1/`], env)).toEqual(expected);
		});

		test('takes the name of the page parameter', async () => {
			receive(12);
			const stdout = expect.stringContaining("None with 'offset'") as string;
			const args = [service.url, '--page-parameter', 'offset'];
			expect(await run(args)).toEqual({ code: 0, stdout, stderr: '' });
		});

		const NO_PASSWORD =
			'The address contains a user name or a password. Remove everything between // and @: other programs can read what a command line contains.';
		const NO_TERMINAL =
			'There is no terminal to ask for the Client ID in. Set the environment variables MESSAGING_CLIENT_ID and MESSAGING_TOKEN.';
		const ONE_ADDRESS =
			'Only the address of the service is needed. Run: npm run check-service -- https://messaging.example.com';

		test.each<[string, string[], string, env: Record<string, string>]>([
			['two addresses', ['https://a.example', 'https://b.example'], ONE_ADDRESS, ENV],
			['a token', ['https://a.example', '--token=a-secret'], ONE_ADDRESS, ENV],
			['no name', ['https://a.example', '--page-parameter'], ONE_ADDRESS, ENV],
			['a password', ['https://user:a-secret@a.example'], NO_PASSWORD, ENV],
			['a missing variable', ['https://a.example'], NO_TERMINAL, { MESSAGING_TOKEN: 'a-secret' }],
		])('refuses %s', async (_what, args, sentence, env) => {
			expect(await run(args, env)).toEqual({ code: 1, stdout: '', stderr: `${sentence}\n` });
		});

		test('explains itself', async () => {
			const stdout = expect.stringContaining('npm run check-service -- https://') as string;
			expect(await run(['--help'], {})).toEqual({ code: 0, stdout, stderr: '' });
		});
	});
});

describe('at a scripted service', () => {
	const server = useScriptedServer();

	afterEach(() => {
		const requested = server.requests.map(({ method, path }) => `${method} ${path}`);
		const allowed = /^GET \/v1\/(status|messages(\?page=[012])?)$/;
		expect(requested.filter((one) => !allowed.test(one))).toEqual([]);
		expect(server.requests.filter(({ body }) => body !== undefined)).toEqual([]);
	});

	/** Responds to the request for the list, the account being connected. */
	function listWith(respond: (page: string | null) => Script): void {
		server.onRequest(({ path }) =>
			path === '/v1/status'
				? { body: { is_connected: true } }
				: respond(new URLSearchParams(path.split('?')[1]).get('page')),
		);
	}

	const statusAt = async (url: string) => (await check(url)).about('Status');

	test('asks with the two headers, five times at most', async () => {
		listWith(() => ({ body: [{ id: `m${server.requests.length}` }] }));
		await check(server.url);
		const list = '/v1/messages';
		const paths = ['/v1/status', list, `${list}?page=0`, `${list}?page=1`, list];
		expect(server.requests.map(({ path }) => path)).toEqual(paths);
		for (const { headers } of server.requests) {
			expect(headers).toMatchObject({ 'client-id': CREDENTIAL.clientId, token: CREDENTIAL.token });
		}
	});

	describe('that is one of the services of the soak', () => {
		/** Three hours in the life of the account, so that no service is in an outage of its own. */
		function play({ existing = 30, perHour = 20, live }: SimulatedService, seed: number): Account {
			const account = new Account(createRandom(seed));
			account.receive(existing);
			while (account.minute < 190) {
				account.tick();
				account.receiveInMinute(perHour);
				live?.(account);
			}
			return account;
		}

		async function checkSimulated(service: SimulatedService, seed: number) {
			const account = play(service, seed);
			listWith((page) => {
				account.tick();
				return service.respond(account, Number(page ?? 0));
			});
			return await check(server.url);
		}

		/** What the trigger has to be told at this service. */
		function expectedSettings(name: string, { options }: SimulatedService): string[] {
			if (!options?.pageParameter || name === 'ignoresPages') return [];
			const start = name === 'pagesFromOne' ? 1 : 0;
			return ["'Page Parameter' to 'page'", `'Page Start' to ${start}`];
		}

		/** The nodes cannot be recommended there, or not at every moment. */
		const EXCEPTIONS = ['fails', 'missingParts', 'temporaryIds'];
		const services = Object.entries(SERVICES).filter(([name]) => !EXCEPTIONS.includes(name));

		test.each(services)('%s: they work with the settings of the soak', async (name, service) => {
			for (const seed of variants([1, 2, 3])) {
				const report = await checkSimulated(service, seed);
				const settings = expectedSettings(name, service);
				expect(report.settings).toEqual(settings);
				const isSet = settings.length > 0;
				expect(report.verdict).toBe(isSet ? `${WORKS} Set ${settings.join(', and ')}.` : WORKS);
				if (isSet) expect(report.text).toContain('\n! Pages       ');
				expect(report.text).not.toMatch(/message \d+\./);
			}
		});

		test('temporaryIds: New Message would start with everything', async () => {
			const { verdict } = await checkSimulated(SERVICES.temporaryIds, 1);
			expect(verdict).toMatch(`${WORKS_NOT} New Message would start a workflow with every`);
		});

		test('fails: says what is wrong, and never shows a message', async () => {
			const verdicts = new Set<boolean>();
			for (let seed = 0; seed < 30; seed++) {
				const { text, works } = await checkSimulated(SERVICES.fails, seed);
				expect(text).not.toMatch(/message \d+\./);
				verdicts.add(works);
			}
			expect(verdicts.size).toBe(2);
		});
	});

	/** The HTTP client of n8n has other names for the first two. The status has the field of the last one. */
	const OTHER_FAULTS = ['not HTTP', 'two different content lengths', 'an object without the field'];

	const faults = FAULTS.filter(({ name }) => !OTHER_FAULTS.includes(name));
	test.each(faults)('says what the nodes say about $name', async ({ script, hangsAfter }) => {
		const timeout = hangsAfter ? 400 : DEFAULT_TIMEOUT_MS;
		server.respondWith(script);
		const execute = executeAt(server, { settings: CONTINUE });
		const { json } = await execute('getStatus', { options: { timeout } });
		const { message, description } = json[0].error as Record<string, string>;
		const expected = `${message}. ${description}`.replace(' [item 0]', '');
		const report = await check(server.url, CREDENTIAL, timeout);
		expect(report.about('Status')).toBe(expected.replace(/ Tried \d times\.$/, ''));
		expect(report.works).toBe(false);
	});

	test('that speaks HTTP where HTTPS is requested', async () => {
		expect(await statusAt(server.url.replace('http:', 'https:'))).toMatch('does not accept HTTPS.');
		expect(server.requests).toEqual([]);
	});

	test('with a certificate that is not trusted', async () => {
		const peer = await startTlsPeer('TLSv1.3');
		expect(await statusAt(peer.url)).toMatch('n8n does not trust the certificate');
		expect(peer.received).toBe('');
		await peer.close();
	});

	const NO_LIST = `${WORKS_NOT} its messages cannot be read (connect the account, then check again).`;
	const QR_TEXT = 'The service gives the QR code as text: nobody can scan it in n8n.';
	const NO_QR = 'The service gives no QR code for it at the moment.';
	const NO_SCAN = `${WORKS_NOT} nobody can scan its QR code.`;
	const QR_CUT = 'The picture of its QR code is not a valid PNG.';
	const CUT_OFF = `data:image/png;base64,${samplePicture().toString('base64').slice(0, 400)}`;

	/** With an account that is not connected. */
	test.each<[string, status: object, list: Script, sentence: string, verdict: string]>([
		['without a list until its account is connected', {}, { status: 409 }, NO_QR, NO_LIST],
		['with a QR code that is a text', { qr: '2@abc' }, { body: [] }, QR_TEXT, WORKS],
		['with a QR code that is cut off', { qr: CUT_OFF }, { body: [] }, QR_CUT, NO_SCAN],
	])('%s', async (_what, status, list, sentence, verdict) => {
		server.onRequest(({ path }) =>
			path === '/v1/status' ? { body: { is_connected: false, ...status } } : list,
		);
		const report = await check(server.url);
		expect(report.about('Status')).toMatch(sentence);
		expect(report.verdict).toBe(verdict);
	});

	test.each([
		['a cut list', '[{"id": 1, "text": "private words 4915112345"}, {"id"'],
		['lists by number', { '+4915112345': [{ text: 'private words' }], '4915112346': [{ id: 2 }] }],
		['a single message', { id: 1, text: 'private words', number: '4915112345' }],
		['failed lists', { success: false, a: [{ text: 'private words' }], b: [{ text: 'private' }] }],
		['names that are data', [{ id: 1, '4915112345': 'private', read_by: { '4915112345': 1 } }]],
		['a list in a field that is data', { '4915112345': [{ id: 1 }] }],
		['ID fields that are data', [1, 2].map((n) => ({ id: 1, chat4915112345: n, text: 'private' }))],
	])('shows nothing of %s', async (_what, body) => {
		listWith(() => ({ body }));
		expect((await check(server.url)).text).not.toMatch(/private|49151123/);
	});

	test.each([
		[
			'a report that something went wrong',
			{ error: { message: 'The list is not ready' }, chats: [{ text: 'private' }], more: [1] },
			'The list is not ready. Expected a list of messages, bare or in one field of an object, but received a report that something went wrong, an object with the fields error, chats, more. The service says: “The list is not ready”. Use Get Status to see whether the account is connected.',
		],
		['a web page', '<!doctype html><title>Welcome</title>', 'but received a web page: “Welcome”.'],
	])('explains %s instead of the list', async (_what, body, sentence) => {
		listWith(() => ({ body }));
		expect((await check(server.url)).about('Messages')).toContain(sentence);
	});

	describe.each([
		['usual', CREDENTIAL],
		['short', { clientId: 'ab', token: 'xyz' }],
	])('never shows %s secrets that it repeats', (_which, credential) => {
		const { clientId, token } = credential;
		const echo = { [clientId]: token, [token]: `is ${token}`, echoed: `${clientId} and ${token}` };

		test.each<[string, Script]>([
			['in an error', { status: 400, body: { message: JSON.stringify(echo) } }],
			['in a redirect', { status: 302, headers: { location: `http://${token}.example/` } }],
			['as names and values', { body: echo }],
			['in an error of a 2xx response', { body: { error: echo } }],
			['in text', { body: JSON.stringify(echo).slice(1) }],
			['in a list', { body: [echo, { ...echo, id: 2 }] }],
			['as the field of the list', { body: { [token]: [echo] } }],
		])('%s', async (_where, script) => {
			server.respondWith(script);
			const refused = await check(server.url, credential);
			listWith(() => script);
			const listed = await check(server.url, credential);
			for (const secret of [clientId, token]) {
				const word = new RegExp(`\\b${secret}\\b`);
				expect(`${refused.text}\n${listed.text}`).not.toMatch(word);
			}
		});
	});
});
