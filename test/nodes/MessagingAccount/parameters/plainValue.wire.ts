import type { IDataObject } from 'n8n-workflow';

import { CREDENTIAL, runNode, type NodeRun } from '../../../support/engine';
import { useProcessedDataStore } from '../../../support/processedDataStore';
import { useScriptedServer } from '../../../support/scriptedServer';

const server = useScriptedServer();
useProcessedDataStore();

const ITEM: IDataObject = {
	name: 'Ann',
	words: 'What undefined and NaN mean, {{ and [object Object]',
	file: 'a.png',
	page: 'https://example.com/undefined.png',
	obj: { a: 1 },
	list: [1],
	nothing: null,
	german: 'Sie haben null Punkte',
};

/** Runs the node for one item, and returns what is sent of a parameter, or the error. */
async function send(parameters: IDataObject, more: Partial<NodeRun> = {}) {
	server.respondWith({ body: { id: 'm' } });
	const image = { number: '49151', url: 'https://example.com/a.png' };
	const { outputs } = await runNode({
		parameters: { operation: 'sendImage', ...image, ...parameters } as NodeRun['parameters'],
		items: [ITEM],
		settings: { onError: 'continueRegularOutput' },
		credential: { baseUrl: server.url, ...CREDENTIAL },
		...more,
	});
	const { message, description, delivery } = (outputs[0][0].json.error ?? {}) as IDataObject;
	return { sent: server.requests.at(-1)?.body as IDataObject, message, description, delivery };
}

const readTable = (table: string) =>
	table
		.trim()
		.split('\n')
		.map((row) => row.split(' → '));

/** `the parameter → as entered → as it goes out`. */
const SENT = `
caption → Hi Ann, what does undefined mean? → Hi Ann, what does undefined mean?
caption → =Hi {{ $json.name }} → Hi Ann
caption → =Hi {{ $json.nme }}! → Hi !
caption → ={{ $json.words }} → ${ITEM.words as string}
caption → ={{ $input.first().json.words }} → ${ITEM.words as string}
caption → ={{ $json["words"].trim() }} → ${ITEM.words as string}
caption → =Read: {{ $json.words }} → Read: ${ITEM.words as string}
caption → ={{ $json.name }} is undefined → Ann is undefined
caption → ={{ $json.name }}: {{ $json.words }} → Ann: ${ITEM.words as string}
caption → =Write \\{{ $json.name }} there → Write \\{{ $json.name }} there
caption → ={{ "Hi " + $json.name }} → Hi Ann
caption → ={{ $json.german || "" }} → Sie haben null Punkte
caption → =Ann: {{ $json.german.slice(0, 21) }} → Ann: Sie haben null Punkte
caption → ={{ $json.name + ", NaNoWriMo" }} → Ann, NaNoWriMo
caption → ={{ new Date(0) }} → 1970-01-01T00:00:00.000Z
url → ={{ $json.page }} → ${ITEM.page as string}
`;

test.each(readTable(SENT))('the %s %s goes out as %s', async (name, entered, expected) => {
	expect((await send({ [name]: entered })).sent[name]).toBe(expected);
});

test('a date goes out as ISO text', async () => {
	expect((await send({ caption: '={{ $now }}' })).sent.caption).toMatch(/^20\d\d-\d\d-\d\dT/);
});

const FIXED = /To have n8n evaluate it, switch the field from Fixed to Expression\./;
const CORRECT = /Correct the names of fields in the expression/;

/** `the parameter → as entered → what the message says`. */
const REFUSED = `
caption → Hi {{ $json.name }} → 'Hi {{ $json.name }}' in 'Caption' contains {{
caption → ={{ "Hi " + $json.nme }} → '{{ "Hi " + $json.nme }}' in 'Caption' gives 'undefined' for this item
caption → ={{ \`Hi \${$json.nme}\` }} → gives 'undefined' for this item
caption → =Hi {{ $json.obj }} → '{{ $json.obj }}' in 'Caption' gives '[object Object]' for this item
caption → ={{ $json.name }} and {{ $json.obj }} → '{{ $json.obj }}' in 'Caption' gives '[object Object]'
caption → ={{ "You owe " + 2 * $json.nme }} → gives 'NaN' for this item
caption → ={{ ("Hi " + $json.nme).toUpperCase() }} → gives 'UNDEFINED'
caption → ={{ "Hi " + $json.name.trim }} → gives '[native code]'
caption → ={{ "Only " + 1 / 0 }} → gives 'Infinity'
caption → ={{ "Hi " + $json.nothing }} → gives 'null' for this item
caption → ={{ "On " + new Date($json.name) }} → gives 'Invalid Date' for this item
caption → ={{ "Hi " + $json.obj }} → gives '[object Object]' for this item
url → =https://img.example/{{ encodeURIComponent($json.obj) }} → gives '%5Bobject%20Object%5D'
url → =https://img.example/{{ "\u200b" }} → gives nothing
url → https://img.example/{{ $json.file }} → in 'Image URL' contains {{
url → =https://img.example/{{ $json.fle }} → '{{ $json.fle }}' in 'Image URL' gives nothing for this item
url → =https://{{ $json.hst }}/{{ $json.file }} → '{{ $json.hst }}' in 'Image URL' gives nothing
`;

test.each(readTable(REFUSED))('the %s %s is refused', async (name, entered, said) => {
	const { message, description, delivery } = await send({ [name]: entered });
	expect(message).toContain(said);
	expect(description).toMatch(said.endsWith('contains {{') ? FIXED : CORRECT);
	expect(delivery).toBe('notSent');
	expect(server.requests).toEqual([]);
});

test('a dry run refuses it, too', async () => {
	const { message } = await send({ caption: 'Hi {{ $json.name }}', options: { dryRun: true } });
	expect(message).toContain("'Hi {{ $json.name }}' in 'Caption' contains {{");
});

test('an agent may say such words', async () => {
	const settings: NodeRun['settings'] = {
		type: 'n8n-nodes-messaging-account.messagingAccountTool',
		onError: 'continueRegularOutput',
	};
	const caption = "={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('Caption', ``, 'string') }}";
	const items = [{ Caption: 'In JavaScript, undefined is not null' }];
	const { sent } = await send({ caption }, { settings, items });
	expect(sent.caption).toBe('In JavaScript, undefined is not null');
});

test.each([
	[{ name: 'chat', value: '{{ $json.chat }}' }],
	[{ name: '{{ $json.chat }}', value: '5' }],
])('the query parameter %j is refused', async (parameter) => {
	const options = { queryParameters: { parameters: [parameter] } };
	const { message, description } = await send({ operation: 'getMessages', options });
	expect(message).toContain("Row 1 of 'Query Parameters' contains {{");
	expect(description).toMatch(FIXED);
});
