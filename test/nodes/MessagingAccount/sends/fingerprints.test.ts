import {
	createFingerprints,
	findExpressions,
	type Expressions,
} from '../../../../nodes/MessagingAccount/sends/fingerprints';

const REQUEST = { number: '4915100', url: 'https://example.com/a.png', caption: 'Hi' };
const CLOCK = '=Sent at {{ $now }}';

const fingerprintsOf = (change: object, expressions: Expressions = {}, input = 'input') =>
	createFingerprints({ ...REQUEST, ...change }, expressions, () => input);

function isSame(one: string[], other: string[]): boolean {
	return one.some((fingerprint) => other.includes(fingerprint));
}

test('a send with the same values is the same, however they were entered', () => {
	const fixed = fingerprintsOf({});
	expect(fixed).toHaveLength(1);
	const computed = fingerprintsOf({}, { caption: '={{ "Hi" }}', url: '={{ $json.a + "" }}' });
	expect(computed).toHaveLength(4);
	expect(isSame(fixed, computed)).toBe(true);
});

test('the order of the fields does not count', () => {
	const { number, url, caption } = REQUEST;
	const reversed = createFingerprints({ caption, url, number }, {}, () => '');
	expect(reversed).toEqual(fingerprintsOf({}));
});

test.each([{ number: '4915101' }, { url: 'https://example.com/b.png' }, { caption: 'Ho' }])(
	'a send with %j is another one',
	(change) => {
		expect(isSame(fingerprintsOf({}), fingerprintsOf(change))).toBe(false);
		const expressions = { url: '={{ 1 }}', caption: '={{ 2 }}' };
		const changed = { ...expressions, ...('caption' in change && { caption: '={{ 3 }}' }) };
		if ('url' in change) changed.url = '={{ 4 }}';
		expect(isSame(fingerprintsOf({}, expressions), fingerprintsOf(change, changed))).toBe(false);
	},
);

test.each([
	['caption', 'Sent at 08:01', CLOCK],
	['url', 'https://example.com/a.png?signature=1', '={{ $json.sign() }}'],
])(
	'a %s that is computed anew counts as the same over the same input',
	(name, value, expression) => {
		const before = fingerprintsOf({ [name]: 'before' }, { [name]: expression });
		const after = fingerprintsOf({ [name]: value }, { [name]: expression });
		expect(isSame(before, after)).toBe(true);
		const otherInput = fingerprintsOf({ [name]: value }, { [name]: expression }, 'other');
		expect(isSame(before, otherInput)).toBe(false);
		const otherExpression = fingerprintsOf({ [name]: value }, { [name]: `${expression} ` });
		expect(isSame(before, otherExpression)).toBe(false);
	},
);

test('each parameter counts by itself: one may be computed anew while another gets the same value in another way', () => {
	const before = fingerprintsOf({ caption: '08:00', url: 'u' }, { caption: CLOCK });
	const after = fingerprintsOf({ caption: '08:01', url: 'u' }, { caption: CLOCK, url: '={{ 1 }}' });
	expect(isSame(before, after)).toBe(true);
});

test('a caption that an expression leaves empty is the same as none', () => {
	const { number, url } = REQUEST;
	const none = createFingerprints({ number, url }, {}, () => '');
	const empty = createFingerprints({ number, url }, { caption: '={{ "" }}' }, () => 'input');
	expect(isSame(none, empty)).toBe(true);
});

test('reads the input only if it is needed', () => {
	const getInput = jest.fn(() => '');
	createFingerprints(REQUEST, {}, getInput);
	expect(getInput).not.toHaveBeenCalled();
});

test.each([
	['Hi', false],
	['={{ $json.name }}', false],
	['=Hi', false],
	["=Hello {{ $json.name }}, it is {{ $json['a b'].c }}", false],
	[CLOCK, true],
	['=Hello {{ $json.name }} at {{ $now }}', true],
	['={{ $json.name.trim() }}', true],
	['={{ $("Webhook").first().json.name }}', true],
	['={{ $json.name', true],
	[7, false],
])('whether the value of %j may change though the input does not: %j', (caption, expected) => {
	expect('caption' in findExpressions({ caption })).toBe(expected);
});

test('the number always counts by its value', () => {
	expect(findExpressions({ number: CLOCK })).toEqual({});
});

test('options and nested parameters do not count', () => {
	expect(findExpressions({ options: { timeout: CLOCK } })).toEqual({});
});
