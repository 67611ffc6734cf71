import { openAsBlob } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { samplePicture } from '../../tools/embeddedService/samplePicture';
import type { SavedWorkflow } from '../../tools/n8n/rest';
import { N8N_LIMIT_MS, waitUntil } from '../support/waitUntil';
import { openDatabase } from './database';
import { lastPage, nodeOf, submit, untilWaiting } from './forms';
import { useRealN8nWithService } from './realN8n';
import { testOnN8n2 } from './skipByVersion';

const CAMPAIGN = 'messagingCampgn1';
const FORM = 'On form submission';

/** n8n stores an execution that waits for 65 s or more. This one must not end before n8n is ready again: see the note in the example. */
const WAIT_SECONDS = 3600;

const TRY = 'Yes, send nothing';
const SEND = 'No, send';

const NUMBERS = Array.from({ length: 50 }, (_, i) => String(12025550100 + i));
const PEOPLE = NUMBERS.map((number, i) => ({ phone: `+${number}`, name: `Person ${i}` }));

const ALL_SENT = ['50 of 50 sent', '0 failed, 0 unknown, 0 left.'];

let workflow: SavedWorkflow;
/** The last page of the first execution, which creates the table. */
let emptyPage: string[];

const { service, n8n } = useRealN8nWithService({ examples: true });

beforeAll(async () => {
	service.account.scan(service.account.qrText);
	await publish();
	emptyPage = await run({ campaign: 'empty', onlyTry: TRY });
	await n8n.rest.post(`${await tableUrl()}/insert`, { data: PEOPLE, returnType: 'count' });
});

beforeEach(() => {
	service.account.messages.length = 0;
	service.account.latency = async () => {};
});

/** With this delay, the node reserves the ID of one send at a time, as with the delay of the example. */
const DELAY_MS = 700;

/** Publishes the campaign once, as a later version is not at once in effect: the campaign's name says which delays and pauses it has. */
async function publish(): Promise<void> {
	workflow = await n8n.rest.workflow(CAMPAIGN);
	const name = "$('Settings').first().json.campaign";
	const { options } = nodeOf(workflow, 'Send Image').parameters;
	const delayBetweenSends = `={{ ${name}.includes('slow') ? ${DELAY_MS} : 0 }}`;
	Object.assign(options!, { delayBetweenSends, randomExtraDelay: 10 });
	const wait = nodeOf(workflow, 'Wait').parameters;
	const [, minutes] = /^={{ (.+) }}$/.exec(wait.amount as string)!;
	// In a long pause, n8n stores the execution.
	const pause = `$runIndex === 0 ? ${WAIT_SECONDS} : 0`;
	const amount = `={{ ${name} === 'pause' ? (${pause}) : ${minutes} }}`;
	Object.assign(wait, { amount, unit: 'seconds' });
	await n8n.rest.save(workflow);
	workflow = await n8n.rest.workflow(CAMPAIGN);
	await n8n.rest.publish(workflow);
}

interface Entered {
	campaign: string;
	onlyTry?: string;
	text?: string;
	/** Empty: no limit. */
	most?: string;
}

/** Sends the form with a picture from the disk. */
async function start({ campaign, onlyTry = SEND, text, most = '' }: Entered): Promise<string> {
	const picture = join(n8n.userFolder, 'spring.png');
	await writeFile(picture, samplePicture());
	const form = new FormData();
	form.set('field-0', await openAsBlob(picture, { type: 'image/png' }), 'spring.png');
	form.set('field-1', text ?? 'Spring is here, {name}');
	form.set('field-2', campaign);
	form.set('field-3', onlyTry);
	form.set('field-4', most);
	return await submit(`${n8n.rest.url}/form/${nodeOf(workflow, FORM).webhookId}`, form);
}

/** Sends the form. @returns its last page */
const run = async (entered: Entered) => await lastPage(n8n, await start(entered));

type Row = Record<
	'phone' | 'name' | 'campaign' | 'status' | 'message_id' | 'reason' | 'caption',
	string
>;

/** The address of the table *Recipients*, which the workflow has created. */
async function tableUrl(): Promise<string> {
	const { id: project } = await n8n.rest.get<{ id: string }>('/rest/projects/personal');
	const tables = `/rest/projects/${project}/data-tables`;
	const { data } = await n8n.rest.get<{ data: Array<{ id: string }> }>(tables);
	expect(data).toHaveLength(1);
	return `${tables}/${data[0].id}`;
}

/** The rows of the table, oldest first. */
async function table(): Promise<Row[]> {
	const url = `${await tableUrl()}/rows?take=250&sortBy=id:asc`;
	return (await n8n.rest.get<{ data: Row[] }>(url)).data;
}

/** Changes the row of one person, as somebody does in n8n. */
async function edit(i: number, data: Partial<Row>): Promise<void> {
	const filters = [{ columnName: 'name', condition: 'eq', value: PEOPLE[i].name }];
	await n8n.rest.patch(`${await tableUrl()}/rows`, { filter: { type: 'and', filters }, data });
}

const sentNumbers = () => service.account.messages.map(({ number }) => number);

/** Sends the form, and kills n8n while it sends to this person. */
async function crashAt(i: number, entered: Entered): Promise<void> {
	let requests = 0;
	const stalled = new Promise<void>((resolve) => {
		service.account.latency = async () => {
			if (requests++ !== i) return;
			resolve();
			await new Promise(() => {});
		};
	});
	await start(entered);
	await stalled;
	await n8n.crash();
}

/** The service carries out a send whose response n8n never gets. */
function carryOut(i: number, caption: string): void {
	const { url, picture } = service.account.messages.at(-1)!;
	service.account.send({ url, picture, number: NUMBERS[i], caption });
}

/** Lets all waits end as soon as n8n looks, once a minute. */
function endPauses(): void {
	const database = openDatabase(n8n, { timeout: 10_000 });
	database.exec("update execution_entity set waitTill = datetime('now') where status = 'waiting'");
	database.close();
}

testOnN8n2('a first try creates the table, and says that it is empty', () => {
	expect(emptyPage).toEqual([
		'The data table Recipients is empty',
		'Add your people in n8n, under Data tables.',
	]);
});

testOnN8n2('only tried: the page says who would get it, and no row is changed', async () => {
	await edit(3, { phone: '12o2 555 0103' });
	const before = await table();
	const page = await run({ campaign: 'Tried', onlyTry: TRY });
	expect(page).toEqual([
		'Nothing was sent',
		"49 would be sent.\nRow 4: '12o2 555 0103' is not a phone number",
	]);
	expect(await table()).toEqual(before);
	expect(service.account.messages).toEqual([]);
	await edit(3, { phone: PEOPLE[3].phone });
});

testOnN8n2('n8n is killed, and the form sent again: everybody gets it once', async () => {
	await crashAt(26, { campaign: 'Slow spring' });
	expect(sentNumbers()).toEqual(NUMBERS.slice(0, 26));
	carryOut(26, 'Spring is here, Person 26');

	expect(await run({ campaign: 'slow spring ' })).toEqual(ALL_SENT);
	expect(sentNumbers()).toEqual(NUMBERS);
	const pictures = service.account.messages.map((message) => service.account.pictureIn(message));
	expect(pictures).toEqual(NUMBERS.map(() => samplePicture()));
	const captions = service.account.messages.map(({ caption }) => caption);
	expect(captions).toEqual(PEOPLE.map(({ name }) => `Spring is here, ${name}`));
	const { messages } = service.account;
	const rows = await table();
	const row = { campaign: 'slow spring', status: 'sent' };
	expect(rows).toMatchObject(messages.map(({ caption }, i) => ({ ...PEOPLE[i], ...row, caption })));
	// The first batch was saved. Of the second one, n8n may only know that it was sent.
	rows.forEach(({ message_id }, i) => {
		const possible = i >= 20 && i < 26 ? [messages[i].id, ''] : [messages[i].id];
		expect(possible).toContain(message_id);
	});
	expect(rows[26].reason).toBe('found among the messages');

	expect(await run({ campaign: 'slow spring' })).toEqual(ALL_SENT);
	expect(sentNumbers()).toEqual(NUMBERS);
});

testOnN8n2('an unknown send stays so until its message is there, not sent again', async () => {
	const entered = { campaign: 'slow, lost', text: 'Hello' };
	service.account.send({ number: NUMBERS[2], url: '', caption: 'Hello' });
	await crashAt(2, entered);
	const [crashed] = (await n8n.rest.listExecutions(workflow)).slice(-1);
	expect(crashed.status).toBe('crashed');
	carryOut(1, 'Hello');
	carryOut(2, 'Hello?');

	await n8n.rest.post(`/rest/executions/${crashed.id}/retry`, { loadWorkflow: false });
	await untilWaiting(n8n, workflow);
	const unknown = (await table()).filter(({ status }) => status !== 'sent');
	expect(unknown).toMatchObject([{ ...PEOPLE[2], status: 'unknown', message_id: '' }]);
	expect(await run(entered)).toEqual(['49 of 50 sent', '0 failed, 1 unknown, 0 left.']);

	carryOut(2, 'Hello');
	expect(await run({ ...entered, text: 'Another text' })).toEqual(ALL_SENT);
	expect((await table())[2].message_id).toBe(service.account.messages.at(-1)!.id);
	expect(sentNumbers()).toHaveLength(1 + 49 + 3);
});

testOnN8n2('n8n is restarted in a pause: the campaign goes on, its file stored once', async () => {
	const submitted = await start({ campaign: 'pause' });
	await untilWaiting(n8n, workflow);
	expect(sentNumbers()).toEqual(NUMBERS.slice(0, 20));
	expect((await table()).map(({ campaign, status }) => campaign === 'pause' && status)).toEqual(
		NUMBERS.map((_, i) => i < 20 && 'sent'),
	);
	await n8n.restart(() => {});
	endPauses();

	expect(await lastPage(n8n, submitted)).toEqual(ALL_SENT);
	expect(sentNumbers()).toEqual(NUMBERS);
	const [{ id }] = (await n8n.rest.listExecutions(workflow)).slice(-1);
	const files = (await readdir(n8n.userFolder, { recursive: true })).filter((path) =>
		path.includes(`${CAMPAIGN}/executions/${id}/binary_data/`),
	);
	expect(files.filter((path) => !path.endsWith('.metadata'))).toHaveLength(1);
});

testOnN8n2('who failed is tried anew once corrected, others only in another campaign', async () => {
	await edit(3, { phone: '12o2 555 0103' });
	const page = await run({ campaign: 'typo' });
	expect(page).toEqual(['49 of 50 sent', '1 failed, 0 unknown, 0 left.']);
	const [, , , row] = await table();
	const reason = "'12o2 555 0103' is not a phone number";
	expect(row).toMatchObject({ status: 'failed', message_id: '', reason });

	await edit(3, { phone: PEOPLE[3].phone });
	expect(await run({ campaign: 'typo' })).toEqual(ALL_SENT);
	const all = [...NUMBERS.filter((_, i) => i !== 3), NUMBERS[3]];
	expect(sentNumbers()).toEqual(all);
	expect(await run({ campaign: 'next' })).toEqual(ALL_SENT);
	expect(sentNumbers()).toEqual([...all, ...NUMBERS]);
});

testOnN8n2(
	'two campaigns at once, and a kill: what one has sent does not count for the other',
	async () => {
		let goOn = () => {};
		const held = new Promise<void>((resolve) => (goOn = resolve));
		service.account.latency = async () => await held;
		const untilRow = async (field: 'campaign' | 'status', value: string) =>
			await waitUntil(value, async (saw) => saw((await table())[0][field]) === value, N8N_LIMIT_MS);
		await start({ campaign: 'first', text: 'First' });
		await untilRow('campaign', 'first');
		const second = { campaign: 'slow second', text: 'Second' };
		await start(second);
		await untilRow('campaign', 'slow second');
		goOn();
		await untilRow('status', 'sent');
		await n8n.crash();

		await run(second);
		const got = service.account.messages.filter(({ caption }) => caption === 'Second');
		const told = (await table()).filter(({ status }) => status === 'sent');
		expect(told.length).toBeGreaterThan(40);
		const phones = got.map(({ number }) => `+${number}`);
		expect(phones).toEqual(expect.arrayContaining(told.map(({ phone }) => phone)));
	},
);
