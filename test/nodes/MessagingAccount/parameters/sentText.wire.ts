import type { IDataObject } from 'n8n-workflow';

import { isReference } from '../../../../nodes/MessagingAccount/parameters/expressions';
import { executeAt, type RunConditions } from '../../../support/engine';
import { readTable } from '../../../support/tables';
import { CONTINUE, TOOL, useSends } from '../../../support/sends';

const { server } = useSends();

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
	nancy: 'nancy',
	padded: 'https://example.com/a.png?sig=abc=',
	zeros: '00',
	studio: 'Studio_NaN',
	pool: 'Infinity Pool.jpg',
	path: 'blog/undefined-behavior.png',
	chart: [1, null, 3],
	people: [{ name: 'Infinity Nails' }, { name: null }],
	empty: '',
	gap: [],
	code: 55,
	area: '11',
	local: '98765-4321',
	phone: 987654321,
	whole: '+55 11 98765-4321',
	dash: '-',
	none: 'N/A',
	Área: '',
	Straße: 'Infinity Nails',
	template: 'Hi {name}',
	cancels: "Nanna annulla l'ordine, ",
	arabic: '٥٥١١٩٨٧٦٥٤٣٢١',
	cc: '55',
	digits: '987654321',
	mobile: '+55 11 98765-4321',
	customer: null,
	gone: ' ',
	parts: { ddi: '55', ddd: '' },
	cells: ['55', '', '987654321'],
	phones: ['', '5511987654321'],
	surname: 'Null',
	cut: {
		lid: '182734918273491@lid',
		tel: '+49 (0)30 123456',
		lost: '4.91512E+12',
		ext: '+49 30 123456 x12',
		float: '49301234567.0',
		device: '182734918273491:3@lid',
		local: '(0151) 23456789',
		link: 'https://wa.me/491711234567?text=2',
	},
	id: { user: '5511987654321', server: 'c.us' },
};

/** Runs the node for one item, and returns what is sent of a parameter, or the error. */
async function send(parameters: IDataObject, more: RunConditions = {}) {
	server.respondWith({ body: { id: 'm' } });
	const execute = executeAt(server, { items: [ITEM], settings: CONTINUE });
	const { json } = await execute('sendImage', parameters, more);
	const { message, description, delivery } = (json[0].error ?? {}) as IDataObject;
	return { sent: server.requests.at(-1)?.body as IDataObject, message, description, delivery };
}

/** The parameter → as it goes out → as entered. */
const SENT = `
caption → Hi Ann, what does undefined mean? → Hi Ann, what does undefined mean?
caption → Hi Ann → =Hi {{ $json.name }} | ={{ "Hi " + $json.name }}
caption → Hi  → =Hi {{ $json.customer.name }} | =Hi {{ $json.customer?.name.trim() }} | =Hi {{ [][0] }} | =Hi {{ void 0; }}
	=Hi {{ $json.customer.name ?? "" }} | =Hi {{ $json.customer.name ? "x" : "" }} | =Hi {{ $json.nme || undefined }} | =Hi {{ $json.nme || $json.nothing /* no name */ }} | =Hi {{ $json.customer?.name // no name }}
caption → Hi ! → =Hi {{ $json.nme }}!
caption → Null, Null → ={{ [1, 2].map(() => $json.surname).join(", ") }}
caption → Nancy! → ={{ $json.nancy.toTitleCase() + "!" }}
caption → a nulla,b nulla → ={{ ["a", "b"].map((one) => one + " nulla").join() }}
url → ${ITEM.padded as string} → ={{ $json.padded + $json.empty }}
url → https://example.com/56/ → ={{ "https://example.com/" + ($json.code + 1) + "/" }}
caption → ${ITEM.words as string} → ={{ $json.words }} | ={{ $input.first().json.words }}
	={{ $json["words"].trim() }}
caption → Ann is undefined → ={{ $json.name }} is undefined
caption → $json, $jsonp.x and $(a) → $json, $jsonp.x and $(a)
caption → Write \\{{ $json.name }} there → =Write \\{{ $json.name }} there
caption → Sie haben null Punkte → ={{ $json.german || "" }}
caption → 1970-01-01T00:00:00.000Z → ={{ new Date(0) }}
caption → Hi Infinity Nails → =Hi {{ $json.nails ?? "" }} | =Hi {{ $json["nails"]?.trim() }}
	={{ $json.people.map((one) => "Hi " + one.name).slice(0, 1).join() }}
	={{ $input.all().map((one) => "Hi " + one.json.nails).join() }}
	={{ "Hi " + $input.first().json.nails }} | ={{ "Hi " + $json.Straße }}
caption → Ann, NaNoWriMo → ={{ $json.name + ", NaNoWriMo" }}
caption → L'Infinity Spa, Ann → ={{ 'L\\'Infinity Spa, ' + $json.name }}
caption → Hi Infinity Nails and Ann → =Hi {{ $json.nails || 'friend' }} and {{ $json.name }}
caption → Hi Infinity Nails, dear Infinity Nails → ={{ "Hi " + $json.nails + ", dear " + $json.nails }}
caption → Hi Null → ={{ "Hi " + $json.surname }} | ={{ "Hi " + $json.surname.toLowerCase().toTitleCase() }}
caption → Studio NaN → ={{ $json.studio.trim().replaceAll("_", " ") }}
caption → Nanna annulla l'ordine, x null → ={{ $json.cancels + "x null" }} | ={{ $json.cancels.concat("x null") }}
caption → Hi BLOG/UNDEFINED-BEHAVIOR.PNG → ={{ "Hi " + $json.path.toUpperCase() }}
caption → Hallo Ann, null Prozent Zinsen → ={{ "Hallo " + $json.name + ", null Prozent Zinsen" }}
caption → Ann: undefined → ={{ \`\${$json.name}: undefined\` }}
url → ${ITEM.page as string} → ={{ $json.page }}
url → https://img.example/Infinity%20Pool.jpg → =https://img.example/{{ encodeURIComponent($json.pool) }}
url → https://img.example/blog/undefined-behavior.png → =https://img.example/{{ $json.path ?? "none" }}
url → https://quickchart.io/chart?c=[1,null,3] → ={{ "https://quickchart.io/chart?c=" + JSON.stringify($json.chart) }}
url → https://img.example/a.png → ={{ "https://img.example/" + ($json.empty || $json.file) }}
	={{ "https://img.example/a.png" + $json.empty }} | =https://img.example/a.png{{ $json.empty ? "?v=" + $json.empty : "" }}
url → https://img.example/ → ={{ "https://img.example/" + ($json.empty || "") }}
url → https://img.example/a.png?p=//b → ={{ "https://img.example/a.png?p=//" + $json.empty + "b" }}
url → https://img.example/a.png?sig=aQ==&v= → ={{ "https://img.example/" + $json.file + "?sig=aQ==&v=" }}
url → https://img.example/a.png?x=110 → =https://img.example/a.png?x={{ 2 * $json.code }}
number → 5511987654321 → =+{{ $json.code }}{{ $json.area }}{{ $json.local }}
	={{ "+" + $json.code + $json.area + $json.local }} | ={{ $json.empty || $json.whole }}
	={{ $json.empty ? "+55" + $json.empty + $json.local : $json.whole }} | ={{ $json.whole || $json.code + $json.empty + $json.local }}
	={{ "+" + $json.code + ($json.empty || $json.area) + $json.local }} | ={{ String($json.code) + $json.area + $json.phone }} | ={{ Number("55" + $json.area + $json.phone) }}
	={{ $json.code === 55 ? "+55 11 98765-4321" : $json.phone }} | ={{ $json.whole ? $json.whole : $('Nobody').item.json.phone }}
	={{ ($json.nme ?? "").replace("-", "") || $json.whole }} | ={{ $json.whole || "" }}
	={{ ($json.whole.startsWith("+") ? "" : "+55") + $json.whole }} | ={{ ($json.nme ? "+55" : "") + $json.whole }}
	={{ ($json.empty || "00") + $json.cc + $json.area + $json.digits }} | ={{ [1, 55].includes($json.code) ? $json.whole : "49151" }} | ={{ typeof $json.code == "number" ? $json.whole : "49151" }}
	={{ Number.isInteger($json.code) ? $json.whole : "49151" }} | =+{{ $json.arabic }}
	={{ $json.id.user + "@" + $json.id.server }} | ={{ $json.arabic.trim() }} | ={{ $json.whole.replace(/\\D/g, "") }}
number → 5511987654321 → ={{ $json.empty.slice(1) || $json.mobile }} | ={{ [$json.empty, $json.mobile].find(Boolean) }}
	={{ $json.empty.length > 5 ? $json.empty : $json.mobile }} | ={{ $json.empty.isEmpty() ? $json.mobile : "49151" }}
	={{ { 55: "+55" }[$json.cc] + $json.area.slice(-2) + $json.digits }} | ={{ $json.mobile.slice(0, 17) }}
	={{ "+" + $json.cc + ($json.area ? " (" + $json.area + ") " : " ") + $json.digits }} | ={{ "55" + "a;11".split(";")[1] + $json.digits }}
	={{ (({ cc, area, digits }) => cc + area + digits)($json) }} | ={{ (({ empty, mobile }) => empty || mobile)($json) }}
	={{ $input.all().map((one) => one.json.cc + one.json.area + one.json.digits)[0] }} | ={{ "+55" + $json[\`area\`] + $json.digits }} | ={{ ["cc", "area", "digits"].map((name) => $json[name]).join("") }}
	={{ $json.phones.filter(Boolean)[0] }} | ={{ $json.phones.find((one) => one) }} | ={{ $json.phones.last().trim() }}
number → 5511987654321 → ={{ ({ BR: "55" }[$json.empty] ?? "") + $json.mobile }} | ={{ ($json.empty ?? "") + $json.mobile }}
	={{ $json.cc + ($json.empty ? ["9"] : []).join("") + $json.area + $json.digits }}
	={{ $json.mobile.startsWith("+") ? "" : "+55" }}{{ $json.mobile }} | =55{{ $json.area }}{{ $json.digits.length == 8 ? '9' : '' }}{{ $json.digits }}
number → 4915123456789 → =49{{ Number($json.cut.local.replace(/\\D/g, "")) }} | ={{ $json.cut.local.replace(/\\D/g, "").replace(/^0/, "49") }}
number → 5555987654321 → ={{ ($json.empty || $json.zeros) + $json.cc + $json.cc + $json.digits }}
number → 987654321 → ={{ $json.phone.toString().replace(/[^0-9]/g, "") }} | ={{ +$json.phone }}
`;

test.each(readTable(SENT))('the %s %s is what goes out of %s', async (name, expected, entered) => {
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

/** The parameter → what the message says → as entered. */
const REFUSED = `
caption → 'Hi {{ $json.name }}' in 'Caption' contains {{ → Hi {{ $json.name }}
caption → 'Caption' contains $json outside of {{ → Hi $json.name | =Hi \${$json.name} | ={ $json.name }} | ={{ $json.name }} of $json["shop"]
number → 'Number' contains $json outside of {{ → =\${$json.phone}
url → 'Image URL' contains $(' outside of {{ → $('Form').item.json.url
url → contains $(" outside of {{ → =$("Form").item.json.url
caption → contains $input outside of {{ → Hi $input.item.json.name
caption → contains $node outside of {{ → Hi $node["A"].json.name
caption → '{{ "Hi " + $json.nme }}' in 'Caption' gives 'undefined' for this item → ={{ "Hi " + $json.nme }}
caption → gives 'undefined' for this item → ={{ \`Hi \${$json.nme}\` }}
	={{ "Hi " + $json.nme + " of undefined" }} | ={{ "Hi " + $json.words + $json.nme }}
	={{ "undefined" === $json.nme ? "" : "Hi " + $json.nme + $json.nmes }}
caption → '{{ $json.obj }}' in 'Caption' gives '[object Object]' for this item → =Hi {{ $json.obj }}
	={{ $json.name }} and {{ $json.obj }}
caption → gives '[object Object]' for this item → ={{ "Hi " + $json.obj }}
caption → gives 'NaN' for this item → ={{ "You owe " + 2 * $json.nme }} | ={{ 2 * $json.nme + "x Nails" }}
caption → gives 'UNDEFINED' → ={{ ("Hi " + $json.nme).toUpperCase() }}
caption → gives '[native code]' → ={{ "Hi " + $json.name.trim }}
caption → gives 'Infinity' → ={{ "Only " + 1 / 0 }}
caption → gives 'null' for this item → ={{ "Hi " + $json.nothing }}
	={{ "Hallo " + $json.nothing + ", null Prozent" }}
	={{ $json.people.map((one) => "Hi " + one.name).join() }}
	={{ $json.template.replace("{name}", $json.nothing) }} | ={{ "Hi ".concat($json.nothing) }}
	={{ "Hi " + $json.surname + " " + $json.nothing }}
	={{ "Nails x" + $json.nothing }} | ={{ \`\${$json.nothing}x Nails\` }} | ={{ $json.nothing + "kg" }}
caption → gives 'Undefined' → ={{ ("Hi " + $json.nme).toTitleCase() }}
caption → gives 'Invalid Date' for this item → ={{ "On " + new Date($json.name) }}
caption → gives nothing for this item → ={{ "Hi " + $json.customer.name }} | =Hi {{ $json.nothing.trim() }}, welcome
	=Hi {{ name }} | =Hi {{ $json.empty || friend }} | =Hi {{ $json.nme ?? friend }} | =You owe {{ 2 * $json.nme }} EUR | =You owe {{ parseInt($json.name) }}
	={{ \`Hi \${$json.custmer.name}\` }} | ={{ "You owe " + $json.name.toFixed(2) }} | ={{ "Hi " + titleCase($json.name) }}
url → gives 'undefined' → ={{ "https://img.example/" + $json.fle }}
url → gives '%5Bobject%20Object%5D' → =https://img.example/{{ encodeURIComponent($json.obj) }}
url → gives 'null' → =https://img.example/{{ encodeURIComponent($json.nothing) }}.png
url → '$json.empty' in 'Image URL' is empty → ={{ "https://img.example/" + $json.empty + "/a.png" }}
	={{ \`https://img.example/\${$json.empty}/a.png\` }} | ={{ "https://img.example/" + $json.empty.slice(1) + ".png" }}
	={{ "https://img.example/qr?data=" + $json.empty }} | ={{ "https://img.example/qr?data=" + encodeURIComponent($json.empty) + "&size=5" }}
url → is empty → =https://img.example/{{ "\u200b" }} | ={{ "https://img.example/" + $json.gap.join("/") + "/a.png" }}
url → in 'Image URL' contains {{ → https://img.example/{{ $json.file }}
url → '{{ $json.fle }}' in 'Image URL' is empty for this item → =https://img.example/{{ $json.fle }}
url → '{{ $json.empty }}' in 'Image URL' is empty for this item → ={{ $json.empty }}
url → '{{ $json.empty ?? "" }}' in 'Image URL' is empty → =https://img.example/{{ $json.empty ?? "" }}
number → '{{ $json.empty }}' in 'Number' is empty → ={{ $json.code }}{{ $json.empty }}{{ $json.local }}
number → '{{ $json.empty.trim() }}' in 'Number' is empty → =+55{{ $json.empty.trim() }}{{ $json.local }}
number → '$json.empty' in 'Number' is empty for this item → ={{ $json.code + $json.empty + $json.local }}
	={{ \`+55\${ $json.empty }\${$json.local}\` }} | ={{ Number("55" + $json.empty + $json.phone) }}
	={{ "55".concat($json.empty, $json.local).replace(/\\D/g, "") }}
	={{ "1111111" + $json.empty + "11111" }} | =+{{ $json.code + $json.empty }}{{ $json.local }}
	={{ "55" + Number($json.empty) + $json.local }} | =55{{ +$json.empty }}{{ $json.phone }}
number → '$json.Área' in 'Number' is empty → ={{ "+55" + $json.Área + $json.local }}
number → '$json.dash' in 'Number' is empty → ={{ ["+55", $json.dash, $json.local].join(" ") }}
number → '$json.none' in 'Number' is empty → ={{ ("55" + $json.none + $json.local).replace(/\\D/g, "") }}
number → '{{ $json.dash }}' in 'Number' is empty → =+55{{ $json.dash }}{{ $json.local }}
number → '$json["empty"]' in 'Number' is empty → ={{ "+55" + $json["empty"].trim() + $json.local }}
number → '$json.ara' in 'Number' is empty → ={{ ["55", $json.ara, $json.local].join("") }}
number → '$json.empty' in 'Number' is empty → ={{ "55" + $json.empty.slice(1) + $json.digits }}
	={{ $json.cc + $json.empty.padStart(2, "0") + $json.digits }} | ={{ "55" + $json.empty.padStart(3, 0) + $json.digits }}
	={{ "55" + $json.empty.substring(0, 2) + $json.digits }} | ={{ "55" + $json.empty.slice(-2) + $json.digits }}
	={{ \`+55 (\${$json.empty.slice(1)}) \${$json.digits}\` }} | =+{{ $json.cc + $json.empty.slice(1) }}{{ $json.digits }}
	={{ parseInt($json.cc + $json.empty.slice(1) + $json.digits) }} | ={{ "55" + ($json.empty && $json.empty.slice(1)) + $json.digits }}
	={{ "55" + ($json.empty.match(/\\d{2}/)?.[0] ?? "") + $json.digits }} | ={{ ($json.cc + $json.empty + $json.digits).slice(0, 13) }}
	={{ "55" + ($json.empty.length === 3 ? $json.empty : "") + $json.digits }}
	={{ "55" + (/^\\d{2}$/.test($json.empty) ? $json.empty : "") + $json.digits }}
	={{ "+" + $json.cc + ($json.empty ? " (" + $json.empty + ") " : " ") + $json.digits }}
number → '$json.gap' in 'Number' is empty → ={{ "+55" + $json.gap + $json.local }}
number → '$json.nothing' in 'Number' is empty → ={{ "55" + String($json.nothing || "").slice(1) + $json.digits }}
number → '$json[\`empty\`]' in 'Number' is empty → ={{ $json.cc + $json[\`empty\`] + $json.digits }}
number → 'empty' in 'Number' is empty → ={{ (({ cc, empty, digits }) => cc + empty + digits)($json) }}
	={{ (() => { const { cc, empty, digits } = $json; return cc + empty.slice(1) + digits; })() }}
	={{ $input.all().map((one) => one.json.cc + one.json.empty + one.json.digits)[0] }}
	={{ ["cc", "empty", "digits"].map((name) => $json[name]).join("") }} | ={{ $jmespath($json, "[cc, empty, digits]").join("") }}
number → 'ddd' in 'Number' is empty → ={{ Object.values($json.parts).join("") + $json.digits }} | ={{ $json.parts.values().join("") + $json.digits }}
	={{ Object.keys($json.parts).map((name) => $json.parts[name]).join("") + $json.digits }}
	={{ JSON.stringify($json.parts).replace(/\\D/g, "") + $json.digits }}
number → '$json.cells[1]' in 'Number' is empty → ={{ $json.cells.join("") }} | ={{ $json.cells.filter(Boolean).join(" ") }}
	={{ $json.cells.at(0) + $json.cells.at(1) + $json.cells.at(2) }} | ={{ "".concat(...$json.cells) }}
number → 'gone' in 'Number' is empty → ={{ [$input.item.json].map((one) => one.cc + one.gone + one.digits)[0] }}
number → ' in 'Number' is empty for this item → ={{ ({ BR: "55" }[$json.name] ?? "") + $json.area + $json.digits }}
	={{ $json.cc + ($json.list.find((one) => one > 9) || '') + $json.digits }} | ={{ "55" + $json.gap.join("") + $json.digits }}
	={{ "55" + ($json.empty.match(/\\((\\d+)\\)/)?.[1] ?? "") + $json.digits }} | ={{ $json.cc + $json.list.filter((one) => one > 9).join("") + $json.digits }}
	={{ "55" + "a;".split(";")[1].trim() + $json.digits }} | ={{ "55" + JSON.parse('{"a":""}').a + $json.digits }}
number → '{{ $json.empty ? "55" : "" }}' in 'Number' is empty → =+{{ $json.empty ? "55" : "" }}{{ $json.area + $json.digits }}
number → gives 'undefined' → ={{ $json.area + $json.ara + $json.local }}
number → in 'Number' is empty → ={{ $json.empty || $json.nothing }} | ={{ $json.local.replce("-", "") }}
`;

test.each(readTable(REFUSED))('the %s is refused: %s: %s', async (name, said, entered) => {
	const { message, description, delivery } = await send({ [name]: entered });
	expect(message).toContain(said);
	const advice = name === 'caption' ? CORRECT : FILL_IN;
	expect(description).toMatch(/contains .*\{\{$/.test(said) ? FIXED : advice);
	expect(delivery).toBe('notSent');
	expect(server.requests).toEqual([]);
});

/** Which field is a number, or cut to one → what that gives → as entered in 'Number'. */
const NUMBERS = `
$json.phone → is empty → ={{ $json.phone.replace(/[^0-9]/g, "") }} | ={{ $json.phone?.replace("-", "") }} | =55{{ $json.area }}9{{ $json.phone.replace("-", "") }}
$json["phone"] → is empty → ={{ $json["phone"].trim() }}
$json.code → is empty → ={{ $json.code.trim() + $json.phone.trim() }}
$json.phone → gives a sum → ={{ 55 + $json.phone }}
$json.code → gives a sum → ={{ $json.code + $json.phone }} | ={{ "+" + ($json.code + $json.phone) }}
	=+{{ $json.code + $json.phone }} | ={{ $json.code + $json.nothing + $json.phone }}
$json.cut.lid → gives another number than it takes → ={{ $json.cut.lid.split("@")[0] }} | =+{{ $json.cut.lid.replace("@lid", "") }}
$json.cut.tel → gives another number than it takes → ={{ $json.cut.tel.replace(/\\D/g, "") }}
$json.cut.ext → gives another number than it takes → ={{ $json.cut.ext.replace(/\\D/g, "") }}
$json.cut.float → gives another number than it takes → ={{ $json.cut.float.replace(/\\D/g, "") }}
$json.cut.link → gives another number than it takes → ={{ $json.cut.link.replace(/\\D/g, "") }}
$json.cut.device → gives another number than it takes → ={{ $json.cut.device.split(":")[0] }} | ={{ parseInt($json.cut.device) }}
$json.cut.local → gives another number than it takes → ={{ Number($json.cut.local.replace(/\\D/g, "")) }} | =+{{ $json.cut.local.replace(/^\\(0|\\D/g, "") }}
$json.cut.lost → gives another number than it takes → ={{ $json.cut.lost.replace(/\\D/g, "") }} | ={{ Number($json.cut.lost) }}
`;

test.each(readTable(NUMBERS))('a number made from %s %s: %s', async (name, what, entered) => {
	const { message, description } = await send({ number: entered });
	expect(message).toContain(` in 'Number' ${what} for this item`);
	const alone = `Enter {{ ${name} }} alone: then the node checks it.`;
	const asText = `${name} is a number: write String(${name}) in its place.`;
	const advice = name.startsWith('$json.cut') ? alone : asText;
	expect(description).toBe(`${advice} The image was not sent.`);
	expect(server.requests).toEqual([]);
});

/** What 'Number' gives → of the phone → as entered. */
const CHANGED = `
494915123456789 → 4915123456789 → =49{{ $json.phone }} | =+49{{ $json.phone }} | ={{ "49" + $json.phone.replace(/\\D/g, "").replace(/^00/, "") }}
494915123456789 → +49 151 23456789 → ={{ "49" + $json.phone.replace(/\\D/g, "") }}
49015123456789 → 015123456789 → =49{{ $json.phone }}
915123456789 → 4915123456789 → ={{ $json.phone.substring(1) }}
555511987654321 → 5511987654321 → =55{{ $json.phone }} | ={{ "55" + $json.phone }}
17911123456 → 447911123456 → =1{{ $json.phone.slice(-10) }} | ={{ "1" + $json.phone.slice(-10) }}
17911123456 → +447911123456 → =1{{ $json.phone.slice(-10) }} | ={{ "1" + $json.phone.slice(-10) }}
495123456789 → 15123456789 → =49{{ $json.phone.slice(1) }}
49491511234567 → 491511234567 → =49{{ $json.phone }}
15550143 → 5550143 → =1{{ $json.phone }}
49912345678 → 351912345678 → ={{ "49" + $json.phone.slice(-9) }}
17911123456 → +44 7911 123456 → ={{ "1" + $json.phone.replace(/ /g, "").slice(-10) }}
`;

test.each(readTable(CHANGED))('%s made of %s is refused: %s', async (number, phone, entered) => {
	const { message, description } = await send({ number: entered }, { items: [{ phone }] });
	expect(message).toBe(
		`'$json.phone' in 'Number' becomes another number, ${number}, for this item`,
	);
	expect(description).toContain('enter {{ $json.phone }} alone: then the node checks them.');
	expect(server.requests).toEqual([]);
});

/** The same of what may be changed: digits dialed only within the country, and those that Brazil and Mexico add or leave out. */
const UNCHANGED = `
79161234567 → 89161234567 → ={{ "7" + $json.phone.slice(1) }}
551187654321 → 5511987654321 → ={{ $json.phone.slice(0, 4) + $json.phone.slice(5) }}
551187654321 → 11987654321 → ={{ "55" + $json.phone.slice(0, 2) + $json.phone.slice(3) }}
5511987654321 → 1187654321 → ={{ "55" + $json.phone.slice(0, 2) + "9" + $json.phone.slice(2) }}
525512345678 → 5215512345678 → ={{ $json.phone.replace(/^521/, "52") }}
390612345678 → 0612345678 → =39{{ $json.phone }}
447911123456 → 07911123456 → =44{{ $json.phone.slice(1) }}
36201234567 → 06201234567 → ={{ $json.phone.replace(/^06/, "36") }}
5555987654321 → 55987654321 → =55{{ $json.phone }}
919198765432 → 9198765432 → =91{{ $json.phone }}
4915199999999 → 4915123456789, 4915199999999 → ={{ $json.phone.split(", ")[1] }}
4915199999999 → 12, 4915199999999 → ={{ $json.phone.split(", ")[1] }}
12025550143 → 2025550143 → =1{{ $json.phone.slice(-10) }}
12025550143 → 12025550143 → =1{{ $json.phone.slice(-10) }}
12025550143 → +12025550143 → =1{{ $json.phone.slice(-10) }}
4915199999999 → C14915199999999 → ={{ $json.phone.slice(2) }}
99912345 → 99912345 → ={{ $json.phone.trim() }}
62812345678901 → 812345678901 → =62{{ $json.phone }}
123456 → 23456 → =1{{ $json.phone }}
554987654321 → 49987654321 → ={{ "55" + $json.phone.slice(0, 2) + $json.phone.slice(3) }}
79161234567 → +7 8916 123-45-67 → ={{ $json.phone.replace(/\\D/g, "").replace(/^78/, "7") }}
36301234567 → +36 06 30 123 4567 → ={{ $json.phone.replace(/\\D/g, "").replace(/^3606/, "36") }}
5491123456789 → 1523456789 → =54911{{ $json.phone.replace(/^15/, "") }}
`;

test.each(readTable(UNCHANGED))('%s made of %s is sent: %s', async (number, phone, entered) =>
	expect((await send({ number: entered }, { items: [{ phone }] })).sent?.number).toBe(number),
);

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

test('a reference may lead to the item of another node', () => {
	expect(isReference("{{ $('Sheet').itemMatching($itemIndex).json.name }}")).toBe(true);
});

test('a dry run refuses it, too', async () => {
	const { message } = await send({ caption: 'Hi {{ $json.name }}', options: { dryRun: true } });
	expect(message).toContain("'Hi {{ $json.name }}' in 'Caption' contains {{");
});

test('an agent may say such words', async () => {
	const settings = { ...CONTINUE, type: TOOL };
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
