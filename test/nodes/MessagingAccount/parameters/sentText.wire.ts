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
	const { outputs } = await runNode({
		parameters: {
			operation: 'sendImage',
			number: '49151',
			url: 'https://example.com/a.png',
			...parameters,
		} as NodeRun['parameters'],
		items: [ITEM],
		settings: { onError: 'continueRegularOutput' },
		credential: { baseUrl: server.url, ...CREDENTIAL },
		...more,
	});
	const [{ json }] = outputs[0];
	const { message, description, delivery } = (json.error ?? {}) as Record<string, string>;
	return {
		json,
		sent: server.requests.at(-1)?.body as IDataObject,
		message,
		description,
		delivery,
	};
}

describe('a caption goes out as it is', () => {
	test.each([
		['on Fixed', 'Hi Ann, what does undefined mean?', 'Hi Ann, what does undefined mean?'],
		['with a field', '=Hi {{ $json.name }}', 'Hi Ann'],
		['with a field that is missing', '=Hi {{ $json.nme }}!', 'Hi !'],
		['whole from one field, whatever it says', '={{ $json.words }}', ITEM.words],
		['whole from one field of a node', '={{ $input.first().json.words }}', ITEM.words],
		['whole from one field, trimmed', '={{ $json["words"].trim() }}', ITEM.words],
		[
			'with a field that says such words',
			'=Read: {{ $json.words }}',
			`Read: ${ITEM.words as string}`,
		],
		['with such words around a field', '={{ $json.name }} is undefined', 'Ann is undefined'],
		[
			'with several fields that say such words',
			'={{ $json.name }}: {{ $json.words }}',
			`Ann: ${ITEM.words as string}`,
		],
		[
			'with brackets that are escaped',
			'=Write \\{{ $json.name }} there',
			'Write \\{{ $json.name }} there',
		],
		['put together', '={{ "Hi " + $json.name }}', 'Hi Ann'],
		['in German', '={{ $json.german || "" }}', 'Sie haben null Punkte'],
		['in German, in parts', '=Ann: {{ $json.german.slice(0, 21) }}', 'Ann: Sie haben null Punkte'],
		['with the name of a month', '={{ $json.name + ", NaNoWriMo" }}', 'Ann, NaNoWriMo'],
		['with the ISO text of a date', '={{ new Date(0) }}', '1970-01-01T00:00:00.000Z'],
	])('%s', async (_how, caption, expected) => {
		const { sent, message } = await send({ caption });
		expect(message).toBeUndefined();
		expect(sent.caption).toBe(expected);
	});

	test('of today', async () => {
		expect((await send({ caption: '={{ $now }}' })).sent.caption).toMatch(/^20\d\d-\d\d-\d\dT/);
	});
});

const FIXED = /To have n8n evaluate it, switch the field from Fixed to Expression\./;
const CORRECT = /Correct the names of fields in the expression/;

describe.each([
	['a send', {}],
	['a dry run', { options: { dryRun: true } }],
])('in %s', (_what, options) => {
	test.each([
		['caption', 'Hi {{ $json.name }}', "'Hi {{ $json.name }}' in 'Caption' contains {{", FIXED],
		['caption', '{{$json.name}}', "'{{$json.name}}' in 'Caption' contains {{", FIXED],
		[
			'caption',
			'={{ "Hi " + $json.nme }}',
			`'{{ "Hi " + $json.nme }}' in 'Caption' gives 'undefined' for this item`,
			CORRECT,
		],
		['caption', '={{ `Hi ${$json.nme}` }}', "gives 'undefined' for this item", CORRECT],
		[
			'caption',
			'=Hi {{ $json.obj }}',
			"'{{ $json.obj }}' in 'Caption' gives '[object Object]' for this item",
			CORRECT,
		],
		[
			'caption',
			'={{ $json.name }} and {{ $json.obj }}',
			"'{{ $json.obj }}' in 'Caption' gives '[object Object]'",
			CORRECT,
		],
		['caption', '={{ "You owe " + 2 * $json.nme }}', "gives 'NaN' for this item", CORRECT],
		['caption', '={{ ("Hi " + $json.nme).toUpperCase() }}', "gives 'UNDEFINED'", CORRECT],
		['caption', '={{ "Hi " + $json.name.trim }}', "gives '[native code]'", CORRECT],
		['caption', '={{ "Only " + 1 / 0 }}', "gives 'Infinity'", CORRECT],
		[
			'url',
			'=https://img.example/{{ encodeURIComponent($json.obj) }}',
			"gives '%5Bobject%20Object%5D'",
			CORRECT,
		],
		['url', '=https://img.example/{{ "\u200b" }}', 'gives nothing', CORRECT],
		['caption', '={{ "Hi " + $json.nothing }}', "gives 'null' for this item", CORRECT],
		[
			'caption',
			'={{ "On " + new Date($json.name) }}',
			"gives 'Invalid Date' for this item",
			CORRECT,
		],
		['caption', '={{ "Hi " + $json.obj }}', "gives '[object Object]' for this item", CORRECT],
		['url', 'https://img.example/{{ $json.file }}', "in 'Image URL' contains {{", FIXED],
		[
			'url',
			'=https://img.example/{{ $json.fle }}',
			"'{{ $json.fle }}' in 'Image URL' gives nothing for this item",
			CORRECT,
		],
		[
			'url',
			'=https://{{ $json.hst }}/{{ $json.file }}',
			"'{{ $json.hst }}' in 'Image URL' gives nothing",
			CORRECT,
		],
		[
			'url',
			'={{ "https://img.example/" + $json.fle + ".png" }}',
			"in 'Image URL' gives 'undefined' for this item",
			CORRECT,
		],
		[
			'url',
			'=https://img.example/{{ $json.obj }}.png',
			"in 'Image URL' gives '[object Object]'",
			CORRECT,
		],
		['number', '{{ $json.number }}', "'{{ $json.number }}' in 'Number' contains {{", FIXED],
	])('%s %s is refused', async (name, entered, message, advice) => {
		const result = await send({ [name]: entered, ...options });
		expect(result.message).toContain(message);
		expect(result.description).toMatch(advice);
		expect(result.delivery).toBe('notSent');
		expect(server.requests).toEqual([]);
	});
});

test('an address that comes whole from one field goes out as it is', async () => {
	expect((await send({ url: '={{ $json.page }}' })).sent.url).toBe(ITEM.page);
});

test('an agent may say such words', async () => {
	const settings = { type: 'n8n-nodes-messaging-account.messagingAccountTool' };
	const caption = "={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('Caption', ``, 'string') }}";
	const items = [{ Caption: 'In JavaScript, undefined is not null' }];
	const { sent, message } = await send(
		{ caption },
		{ settings: { ...settings, onError: 'continueRegularOutput' }, items },
	);
	expect(message).toBeUndefined();
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
