import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import type { IDataObject } from 'n8n-workflow';

import { readAccount } from '../../nodes/MessagingAccount/transport/credential';
import { DEFAULT_TIMEOUT_MS } from '../../nodes/MessagingAccount/transport/request';
import { checkService } from '../../tools/checkService/checkService';
import { formatReport, isCompatible, type Finding } from '../../tools/checkService/finding';
import { createRead } from '../../tools/checkService/serviceClient';
import { PhoneAccount } from '../../tools/embeddedService/account';
import { startService, type EmbeddedService } from '../../tools/embeddedService/service';
import { PROJECT } from '../../tools/n8n/install';
import { Account, createRandom } from '../hosts/account';
import type { Host } from '../hosts/host';
import { HOSTS } from '../hosts/hosts';
import { CREDENTIAL, runNode } from '../support/engine';
import { FAULTS } from '../support/faults';
import { variants } from '../support/night';
import { useNoJitter } from '../support/noJitter';
import { startScriptedServer, useScriptedServer, type Script } from '../support/scriptedServer';
import { startTlsPeer } from '../support/tlsPeer';

const WORKS = 'The nodes work with this service.';
const WORKS_NOT = 'The nodes do not work with this service yet:';

interface Report {
	findings: Finding[];
	works: boolean;
	text: string;
	/** The sentences about a topic. */
	about(topic: string): string;
}

async function check(
	baseUrl: string,
	credential = CREDENTIAL,
	timeout = DEFAULT_TIMEOUT_MS,
): Promise<Report> {
	const account = readAccount({ baseUrl, ...credential });
	const findings = await checkService(account, createRead(account, timeout));
	return {
		findings,
		works: isCompatible(findings),
		text: formatReport(findings),
		about: (topic) =>
			findings
				.filter((finding) => finding.topic === topic)
				.flatMap(({ sentences }) => sentences)
				.join(' '),
	};
}

function settingsOf({ findings }: Report): string[] {
	return findings.flatMap(({ settings }) => settings ?? []);
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
		expect(report.about('Status')).toBe(
			'The account is not connected: it waits for its QR scan. Its QR code is a valid PNG, which Get Status shows in n8n.',
		);
		expect(report.about('Messages')).toMatch('The list is empty.');
		expect(report.text.split('\n').at(-1)).toBe(WORKS);
	});

	test('a connected account', async () => {
		service.account.scan(service.account.qrText);
		receive(12);
		const report = await check(service.url);
		expect(report.text).toBe(`\
✔ Status      Connected.
✔ Messages    12 messages, in a bare list.
✔ Message ID  In 'id'. New Message finds this without 'Message ID Field'.
✔ Order       The oldest first, as the times in 'sent_at' tell.
✔ Time        In 'sent_at': 'Limit' of Get Messages takes the newest ones.
✔ Fields      For 'Only Messages Where': id, direction, number, text, sent_at.
✔ Pages       None with 'page': each number gives the same list.
              If your service documents another name, set 'Page Parameter' to it.

${WORKS}`);
	});

	test('the other order, in a field of an object', async () => {
		service.account.listing = { newestFirst: true, wrapped: true };
		receive(12);
		const report = await check(service.url);
		expect(report.about('Messages')).toBe("12 messages, in the field 'messages' of an object.");
		expect(report.about('Order')).toBe("The newest first, as the times in 'sent_at' tell.");
	});

	test('a wrong token', async () => {
		const report = await check(service.url, { ...CREDENTIAL, token: 'another' });
		expect(report.about('Status')).toMatch(
			/^The client-id or token header is missing or wrong \(HTTP 401\)\. /,
		);
		expect(report.about('Messages')).toBe('The same.');
		expect(report.text.split('\n').at(-1)).toBe(
			`${WORKS_NOT} its status cannot be read, and its messages cannot be read.`,
		);
	});

	test('a QR code that is cut off', async () => {
		class BrokenAccount extends PhoneAccount {
			override qrPicture = async () => (await super.qrPicture()).slice(0, 400);
		}
		const broken = await startService(CREDENTIAL, 0, new BrokenAccount());
		const report = await check(broken.url);
		await broken.close();
		expect(report.text.split('\n').at(-1)).toBe(`${WORKS_NOT} nobody can scan its QR code.`);
	});

	describe('the command', () => {
		const ENV = { MESSAGING_CLIENT_ID: CREDENTIAL.clientId, MESSAGING_TOKEN: CREDENTIAL.token };

		async function run(args: string[], env: Record<string, string> = ENV) {
			const command = spawn(
				process.execPath,
				['--import', 'tsx', join(PROJECT, 'tools/checkService/cli.ts'), ...args],
				{
					cwd: PROJECT,
					env: { PATH: process.env.PATH, ...env },
					stdio: ['ignore', 'pipe', 'pipe'],
				},
			);
			const [stdout, stderr, [code]] = await Promise.all([
				text(command.stdout),
				text(command.stderr),
				once(command, 'close') as Promise<[number | null]>,
			]);
			return { stdout, stderr, code };
		}

		test('prints the report, and exits with 0', async () => {
			receive(12);
			const { text: report } = await check(service.url);
			expect(await run([`${service.url}/v1/`])).toEqual({
				stdout: `${report}\n`,
				stderr: '',
				code: 0,
			});
		});

		test('exits with 1 if the nodes do not work', async () => {
			const { stdout, stderr, code } = await run([service.url], {
				...ENV,
				MESSAGING_TOKEN: 'another',
			});
			expect([code, stderr]).toEqual([1, '']);
			expect(stdout).toMatch(WORKS_NOT);
		});

		test.each([
			['MESSAGING_TOKEN', 'MESSAGING_CLIENT_ID', 'Client ID'],
			['MESSAGING_CLIENT_ID', 'MESSAGING_TOKEN', 'Token'],
		] as const)('with %s alone, names the variables', async (variable, _missing, field) => {
			expect(await run([service.url], { [variable]: ENV[variable] })).toEqual({
				stdout: '',
				stderr: `There is no terminal to ask for the ${field} in. Set the environment variables MESSAGING_CLIENT_ID and MESSAGING_TOKEN.\n`,
				code: 1,
			});
		});

		test.each([
			['no address', [], 'Only the address of the service is needed.'],
			['two addresses', ['https://a.example', 'https://b.example'], 'Only the address'],
			['a token', ['https://a.example', '--token=a-secret'], 'Only the address'],
			['no scheme', ['a.example'], "'Base URL' in the credential is not a web address."],
			['a query', ['https://a.example/?token=a-secret'], 'contains more than an address.'],
			['a password', ['https://user:a-secret@a.example'], 'a user name or a password.'],
		])('refuses %s', async (_what, args, sentence) => {
			const { stdout, stderr, code } = await run(args);
			expect([code, stdout]).toEqual([1, '']);
			expect(stderr).toMatch(sentence);
			expect(stderr).not.toMatch('a-secret');
			expect(stderr.split('\n')).toHaveLength(2);
		});

		test('explains itself', async () => {
			const { stdout, code } = await run(['--help'], {});
			expect(code).toBe(0);
			expect(stdout).toMatch('npm run check-service -- https://messaging.example.com');
		});
	});
});

describe('at a scripted service', () => {
	useNoJitter();
	const server = useScriptedServer();

	afterEach(() => {
		const requested = server.requests.map(({ method, path }) => `${method} ${path}`);
		expect(
			requested.filter((one) => !/^GET \/v1\/(status|messages(\?page=[012])?)$/.test(one)),
		).toEqual([]);
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

	test('asks with the two headers, five times at most', async () => {
		listWith(() => ({ body: [{ id: `m${server.requests.length}` }] }));
		await check(server.url);
		expect(server.requests.map(({ path }) => path)).toEqual([
			'/v1/status',
			'/v1/messages',
			'/v1/messages?page=0',
			'/v1/messages?page=1',
			'/v1/messages',
		]);
		for (const { headers } of server.requests) {
			expect(headers).toMatchObject({ 'client-id': CREDENTIAL.clientId, token: CREDENTIAL.token });
		}
	});

	describe('that is one of the hosts of the soak', () => {
		/** Three hours in the life of the account, so that no host is in an outage of its own. */
		function play({ existing = 30, perHour = 20, live }: Host, seed: number): Account {
			const account = new Account(createRandom(seed));
			account.receive(existing);
			while (account.minute < 190) {
				account.tick();
				account.receiveInMinute(perHour);
				live?.(account);
			}
			return account;
		}

		async function checkHost(host: Host, seed: number): Promise<Report> {
			const account = play(host, seed);
			listWith((page) => {
				account.tick();
				return host.respond(account, Number(page ?? 0));
			});
			return await check(server.url);
		}

		/** What the trigger has to be told at this host. */
		function expectedSettings(name: string, { options = {} }: Host): string[] {
			const { messageIdField, pageParameter } = options;
			const hasPages = pageParameter !== undefined && name !== 'ignoresPages';
			return [
				...(messageIdField ? [`'Message ID Field' to '${String(messageIdField)}'`] : []),
				...(hasPages ? [`'Page Parameter' to '${String(pageParameter)}'`] : []),
				...(hasPages ? [`'Page Start' to ${name === 'pagesFromOne' ? 1 : 0}`] : []),
			];
		}

		/** The nodes cannot be recommended there, or not at every moment. */
		const EXCEPTIONS = ['fails', 'missingParts', 'temporaryIds'];
		const hosts = Object.entries(HOSTS).filter(([name]) => !EXCEPTIONS.includes(name));

		test.each(hosts)('%s: they work with the settings of the soak', async (name, host) => {
			for (const seed of variants([1, 2, 3])) {
				const report = await checkHost(host, seed);
				expect(report.text).toMatch(WORKS);
				expect(settingsOf(report)).toEqual(expectedSettings(name, host));
				expect(report.text).not.toMatch(/message \d+\./);
			}
		});

		test.each([
			['idOfChatFirst', 'Message ID', "In 'message.id'."],
			['idsPerChat', 'Message ID', "In 'chat.id' and 'message_id' together."],
			['idsPerChatAsField', 'Message ID', "In 'conversation_id' and 'id' together."],
			['idsPerSender', 'Message ID', "In 'from.id' and 'id' together."],
			['longIds', 'Message ID', "In 'id'."],
			['longList', 'Messages', '2000 messages, in a bare list.'],
			['mailDates', 'Time', "In 'date': 'Limit' of Get Messages takes the newest ones."],
			['noIds', 'Message ID', 'No usual field has one'],
			['noTimes', 'Order', 'Not known: neither times nor counted IDs tell it.'],
			['noTimes', 'Time', 'No field has it'],
			['numericIdsNoTimes', 'Order', "The newest first, as the numbers in 'id' tell."],
			['oldestFirst', 'Order', "The oldest first, as the times in 'sent_at' tell."],
			['pagesFromOne', 'Pages', "'page' counts pages from 1: the first one has 25"],
			['pagesOfAll', 'Pages', "'page' counts pages from 0: the first one has 20"],
			['plain', 'Fields', "For 'Only Messages Where': id, chat.id, text, sent_at."],
			['plainTexts', 'Messages', 'Plain values among them'],
			['twoLists', 'Messages', "in the field 'messages' of an object"],
			['wrapped', 'Message ID', "In 'message.id'."],
			['wrapped', 'Messages', "in the field 'data' of an object"],
		])('%s: %s', async (name, topic, sentence) => {
			expect((await checkHost(HOSTS[name], 1)).about(topic)).toContain(sentence);
		});

		test.each(['failingFurtherPages', 'limitsFurtherPages'])(
			'%s: an outage of further pages leaves it open whether there are any',
			async (name) => {
				const account = new Account(createRandom(1));
				account.receive(30);
				listWith((page) => HOSTS[name].respond(account, Number(page ?? 0)));
				const report = await check(server.url);
				expect(report.about('Pages')).toMatch(
					/^Not known, as page 1 cannot be read\. .* \(HTTP \d+\)\./,
				);
				expect(report.text).toMatch(WORKS);
			},
		);

		test('temporaryIds: New Message would start with everything', async () => {
			const report = await checkHost(HOSTS.temporaryIds, 1);
			expect(report.text).toMatch(`${WORKS_NOT} New Message would start a workflow with every`);
		});

		test('fails: says what is wrong, and never shows a message', async () => {
			const verdicts = new Set<boolean>();
			for (let seed = 0; seed < 30; seed++) {
				const { text: report, works } = await checkHost(HOSTS.fails, seed);
				expect(report).not.toMatch(/message \d+\./);
				verdicts.add(works);
			}
			expect(verdicts.size).toBe(2);
		});
	});

	describe('says what the nodes say', () => {
		/** The HTTP client of n8n has other names for these. */
		const OTHER_NAMES = ['not HTTP', 'two different content lengths'];
		/** The status has it. */
		const NO_FAULT = 'an object without the field';
		const faults = FAULTS.filter(({ name }) => ![...OTHER_NAMES, NO_FAULT].includes(name));

		test.each(faults.map((fault) => [fault.name, fault] as const))(
			'about %s',
			async (_name, { script, hangsAfter }) => {
				const timeout = hangsAfter ? 400 : DEFAULT_TIMEOUT_MS;
				server.respondWith(script);
				const { outputs } = await runNode({
					parameters: { operation: 'getStatus', options: { timeout } },
					settings: { onError: 'continueRegularOutput' },
					credential: { baseUrl: server.url, ...CREDENTIAL },
				});
				const error = outputs[0][0].json.error as IDataObject;
				const report = await check(server.url, CREDENTIAL, timeout);
				const expected = `${String(error.message)}. ${String(error.description)}`;
				expect(report.about('Status')).toBe(
					expected.replace(' [item 0]', '').replace(/ Tried \d times\.$/, ''),
				);
				expect(report.works).toBe(false);
			},
		);
	});

	test('that has moved: nothing is sent to the other address', async () => {
		const target = await startScriptedServer();
		server.respondWith({ status: 302, headers: { location: `${target.url}/v1/status` } });
		const report = await check(server.url);
		await target.close();
		expect(target.requests).toEqual([]);
		expect(report.about('Status')).toMatch(
			`The service redirects to ${target.url}, and the redirect was not followed (HTTP 302).`,
		);
	});

	test('that is not running', async () => {
		await server.close();
		expect((await check(server.url)).about('Status')).toMatch(
			`${server.url} refused the connection.`,
		);
	});

	test('that speaks HTTP where HTTPS is requested', async () => {
		const report = await check(server.url.replace('http:', 'https:'));
		expect(report.about('Status')).toMatch('does not accept HTTPS.');
		expect(server.requests).toEqual([]);
	});

	test('with a certificate that is not trusted', async () => {
		const peer = await startTlsPeer('TLSv1.3');
		const report = await check(peer.url);
		await peer.close();
		expect(report.about('Status')).toMatch('n8n does not trust the certificate');
		expect(peer.received).toBe('');
	});

	test('without a list until its account is connected', async () => {
		server.onRequest(({ path }) =>
			path === '/v1/status' ? { body: { is_connected: false } } : { status: 409 },
		);
		const report = await check(server.url);
		expect(report.about('Status')).toMatch('The service gives no QR code for it at the moment.');
		expect(report.text).toMatch(
			`${WORKS_NOT} its messages cannot be read (connect the account, then check again).`,
		);
	});

	test('with a QR code that is a text', async () => {
		server.onRequest(({ path }) => ({
			body: path === '/v1/status' ? { is_connected: false, qr: '2@abc' } : [],
		}));
		expect((await check(server.url)).about('Status')).toMatch(
			'The service gives the QR code as text: nobody can scan it in n8n.',
		);
	});

	test('without pages, where an unknown parameter is refused', async () => {
		listWith((page) => (page === null ? { body: [{ id: 'a' }, { id: 'b' }] } : { status: 400 }));
		expect((await check(server.url)).about('Pages')).toMatch(
			"None with 'page': no number gives a list.",
		);
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
		['in a text', { error: 'The phone is offline' }],
		['in an object', { error: { message: 'The phone is offline' } }],
	])('explains a report that something went wrong, %s', async (_where, error) => {
		listWith(() => ({ body: { ...error, chats: [{ text: 'private words' }], more: [1] } }));
		expect((await check(server.url)).about('Messages')).toBe(
			'The phone is offline. Expected a list of messages, bare or in one field of an object, but received a report that something went wrong, an object with the fields error, chats, more. The service says: “The phone is offline”. Use Get Status to see whether the account is connected.',
		);
	});

	test('names a web page instead of the list', async () => {
		listWith(() => ({ body: '<!doctype html><title>Welcome</title>' }));
		expect((await check(server.url)).about('Messages')).toMatch(
			'but received a web page: “Welcome”.',
		);
	});

	test('reports the status of an error whose body breaks off', async () => {
		server.respondWith((_response, socket) =>
			socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 100\r\n\r\n{"mess'),
		);
		expect((await check(server.url)).about('Status')).toBe(
			"The service refused the credentials (HTTP 401). Check 'Client ID' and 'Token' in the credential.",
		);
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
