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
	nails: 'Infinity Nails',
	studio: 'Studio_NaN',
	pool: 'Infinity Pool.jpg',
	path: 'blog/undefined-behavior.png',
	chart: [1, null, 3],
	people: [{ name: 'Infinity Nails' }, { name: null }],
	empty: '',
	code: 55,
	area: '11',
	local: '98765-4321',
	phone: 987654321,
	whole: '+55 11 98765-4321',
	blank: ' ',
	dash: '-',
	none: 'N/A',
	Área: '',
	cliente: { código: '' },
	Straße: 'Infinity Nails',
	template: 'Hi {name}',
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
caption → =Hi {{ $json.nails ?? "" }} → Hi Infinity Nails
caption → =Hi {{ $json.nails || 'friend' }} and {{ $json.name }} → Hi Infinity Nails and Ann
caption → =Hi {{ $json["nails"]?.trim() }} → Hi Infinity Nails
caption → ={{ "Hi " + $json.nails + ", dear " + $json.nails }} → Hi Infinity Nails, dear Infinity Nails
caption → ={{ $json.studio.trim().replaceAll("_", " ") }} → Studio NaN
caption → ={{ "Hi " + $json.path.toUpperCase() }} → Hi BLOG/UNDEFINED-BEHAVIOR.PNG
caption → ={{ "Hallo " + $json.name + ", null Prozent Zinsen" }} → Hallo Ann, null Prozent Zinsen
caption → ={{ \`\${$json.name}: undefined\` }} → Ann: undefined
caption → ={{ $json.people.map((one) => "Hi " + one.name).slice(0, 1).join() }} → Hi Infinity Nails
caption → ={{ $input.all().map((one) => "Hi " + one.json.nails).join() }} → Hi Infinity Nails
caption → ={{ "Hi " + $input.first().json.nails }} → Hi Infinity Nails
caption → ={{ "Hi " + $json.Straße }} → Hi Infinity Nails
caption → ={{ 'L\\'Infinity Spa, ' + $json.name }} → L'Infinity Spa, Ann
url → =https://img.example/{{ encodeURIComponent($json.pool) }} → https://img.example/Infinity%20Pool.jpg
url → =https://img.example/{{ $json.path ?? "none" }} → https://img.example/blog/undefined-behavior.png
url → ={{ "https://quickchart.io/chart?c=" + JSON.stringify($json.chart) }} → https://quickchart.io/chart?c=[1,null,3]
url → ={{ "https://img.example/" + ($json.empty || $json.file) }} → https://img.example/a.png
url → ={{ "https://img.example/a.png" + $json.empty }} → https://img.example/a.png
url → =https://img.example/a.png?x={{ 2 * $json.code }} → https://img.example/a.png?x=110
number → =+{{ $json.code }}{{ $json.area }}{{ $json.local }} → 5511987654321
number → ={{ "+" + $json.code + $json.area + $json.local }} → 5511987654321
number → ={{ $json.empty || $json.whole }} → 5511987654321
number → ={{ $json.empty ? "+55" + $json.empty + $json.local : $json.whole }} → 5511987654321
number → ={{ $json.whole || $json.code + $json.empty + $json.local }} → 5511987654321
number → ={{ "+" + $json.code + ($json.empty || $json.area) + $json.local }} → 5511987654321
number → ={{ String($json.code) + $json.area + $json.phone }} → 5511987654321
number → ={{ Number("55" + $json.area + $json.phone) }} → 5511987654321
number → ={{ $json.code === 55 ? "+55 11 98765-4321" : $json.phone }} → 5511987654321
number → ={{ $json.phone.toString().replace(/[^0-9]/g, "") }} → 987654321
number → ={{ +$json.phone }} → 987654321
number → ={{ [1, 55].includes($json.code) ? $json.whole : "49151" }} → 5511987654321
number → ={{ typeof $json.code == "number" ? $json.whole : "49151" }} → 5511987654321
number → ={{ Number.isInteger($json.code) ? $json.whole : "49151" }} → 5511987654321
number → ={{ $json.whole ? $json.whole : $('Nobody').item.json.phone }} → 5511987654321
`;

test.each(readTable(SENT))('the %s %s goes out as %s', async (name, entered, expected) => {
	const { sent, message } = await send({ [name]: entered });
	expect(sent?.[name] ?? message).toBe(expected);
});

test('a date goes out as ISO text', async () => {
	expect((await send({ caption: '={{ $now }}' })).sent.caption).toMatch(/^20\d\d-\d\d-\d\dT/);
});

const FIXED = /To have n8n evaluate it, switch the field from Fixed to Expression\./;
const CORRECT = /Correct the names of fields in the expression/;
const FILL_IN =
	/^The cell may be empty: fill it in\. If it is not, correct the expression\. The image was not sent\.$/;

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
caption → ={{ "Hi " + $json.nme + " of undefined" }} → gives 'undefined'
caption → ={{ "Hi " + $json.words + $json.nme }} → gives 'undefined'
caption → ={{ "Hallo " + $json.nothing + ", null Prozent" }} → gives 'null'
caption → ={{ $json.people.map((one) => "Hi " + one.name).join() }} → gives 'null'
caption → ={{ "undefined" === $json.nme ? "" : "Hi " + $json.nme + $json.nmes }} → gives 'undefined'
caption → ={{ $json.template.replace("{name}", $json.nothing) }} → gives 'null'
caption → ={{ "Hi ".concat($json.nothing) }} → gives 'null'
caption → ={{ ("Hi " + $json.nothing).toUpperCase() }} → gives 'NULL'
caption → ={{ ("Hi " + $json.nme).toTitleCase() }} → gives 'Undefined'
url → ={{ "https://img.example/" + $json.fle }} → gives 'undefined'
url → =https://img.example/{{ encodeURIComponent($json.obj) }} → gives '%5Bobject%20Object%5D'
url → =https://img.example/{{ "\u200b" }} → is empty
url → https://img.example/{{ $json.file }} → in 'Image URL' contains {{
url → =https://img.example/{{ $json.fle }} → '{{ $json.fle }}' in 'Image URL' is empty for this item
url → =https://{{ $json.hst }}/{{ $json.file }} → '{{ $json.hst }}' in 'Image URL' is empty
url → ={{ $json.empty }} → '{{ $json.empty }}' in 'Image URL' is empty for this item
url → =https://img.example/{{ $json.empty ?? "" }} → '{{ $json.empty ?? "" }}' in 'Image URL' is empty
number → ={{ $json.code }}{{ $json.empty }}{{ $json.local }} → '{{ $json.empty }}' in 'Number' is empty
number → =+{{ $json.code }}{{ $json.nothing }}{{ $json.local }} → '{{ $json.nothing }}' in 'Number' is empty
number → =+55{{ $json.lcal }} → '{{ $json.lcal }}' in 'Number' is empty
number → =+55{{ $json.area }}{{ $json.empty.trim() }}{{ $json.local }} → '{{ $json.empty.trim() }}' in 'Number' is empty
number → ={{ $json.code + $json.empty + $json.local }} → '$json.empty' in 'Number' is empty for this item
number → ={{ "+" + $json.code + $json["empty"].trim() + $json.local }} → '$json["empty"]' in 'Number' is empty
number → ={{ \`+55\${ $json.empty }\${$json.local}\` }} → '$json.empty' in 'Number' is empty
number → ={{ ["55", $json.ara, $json.local].join("") }} → '$json.ara' in 'Number' is empty
number → ={{ "55".concat($json.empty, $json.local).replace(/\\D/g, "") }} → '$json.empty' in 'Number' is empty
number → ={{ Number("55" + $json.empty + $json.phone) }} → '$json.empty' in 'Number' is empty
number → ={{ "1111111" + $json.empty + "11111" }} → '$json.empty' in 'Number' is empty
number → =+{{ $json.code + $json.empty }}{{ $json.local }} → '$json.empty' in 'Number' is empty
number → ={{ "+55" + $json.Área + $json.local }} → '$json.Área' in 'Number' is empty
number → ={{ "+55" + $json.cliente.código + $json.local }} → '$json.cliente.código' in 'Number' is empty
number → ={{ "+55" + $json.blank + $json.local }} → '$json.blank' in 'Number' is empty
number → ={{ ["+55", $json.dash, $json.local].join(" ") }} → '$json.dash' in 'Number' is empty
number → ={{ ("+55" + $json.none + $json.local).replace(/\\D/g, "") }} → '$json.none' in 'Number' is empty
number → =+55{{ $json.dash }}{{ $json.local }} → '{{ $json.dash }}' in 'Number' is empty
number → ={{ "55" + Number($json.empty) + $json.local }} → '$json.empty' in 'Number' is empty
number → =55{{ +$json.empty }}{{ $json.phone }} → '$json.empty' in 'Number' is empty
number → ={{ $json.area + $json.ara + $json.local }} → gives 'undefined'
number → ={{ $json.empty || $json.nothing }} → in 'Number' is empty
number → ={{ $json.local.replce("-", "") }} → in 'Number' is empty
`;

test.each(readTable(REFUSED))('the %s %s is refused', async (name, entered, said) => {
	const { message, description, delivery } = await send({ [name]: entered });
	expect(message).toContain(said);
	const advice = name === 'caption' ? CORRECT : FILL_IN;
	expect(description).toMatch(said.endsWith('contains {{') ? FIXED : advice);
	expect(delivery).toBe('notSent');
	expect(server.requests).toEqual([]);
});

/** As entered in 'Number', where a number is taken as such → what it gives, and which. */
const NUMBERS = `
={{ $json.phone.replace(/[^0-9]/g, "") }} → is empty → phone
={{ $json.phone?.replace("-", "") }} → is empty → phone
={{ $json["phone"].trim() }} → is empty → phone
=55{{ $json.area }}9{{ $json.phone.replace("-", "") }} → is empty → phone
={{ $json.code.trim() + $json.phone.trim() }} → is empty → code
={{ 55 + $json.phone }} → gives a sum → phone
={{ $json.code + $json.phone }} → gives a sum → code
={{ "+" + ($json.code + $json.phone) }} → gives a sum → code
=+{{ $json.code + $json.phone }} → gives a sum → code
={{ $json.code + $json.nothing + $json.phone }} → gives a sum → code
`;

test.each(readTable(NUMBERS))('the number %s %s', async (entered, what, field) => {
	const { message, description } = await send({ number: entered });
	expect(message).toContain(` in 'Number' ${what} for this item`);
	const name = entered.includes('["phone"]') ? '$json["phone"]' : `$json.${field}`;
	expect(description).toBe(
		`${name} is a number: write String(${name}) in its place. The image was not sent.`,
	);
	expect(server.requests).toEqual([]);
});

test('what is nothing from a dragged field is an empty number', async () => {
	const ai = "/*n8n-auto-generated-fromAI-override*/ $json['empty']";
	for (const field of ['$json.empty', '$json.nothing', '$json.phne', '$input.first().json.x', ai]) {
		const { message, description } = await send({ number: `={{ ${field} }}` });
		expect([message, description]).toEqual([
			"'Number' is empty",
			'The cell may be empty: enter the number. The image was not sent.',
		]);
	}
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
