import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { comparedFields } from '../../../../nodes/MessagingAccount/parameters/draggedField';
import { createParameterReader } from '../../../../nodes/MessagingAccount/parameters/parameterReader';
import { caseCount } from '../../../support/testSize';
import { createExecuteContext } from '../../../support/engine';
import fc from '../../../support/fastCheck';

const ITEMS: IDataObject[] = ['491', '492', '493'].map((number) => ({
	number,
	count: 7,
	isFine: false,
	nothing: null,
}));

beforeEach(() => comparedFields.clear());

/** Reads a parameter for all items, and counts how often n8n evaluates it. */
function readAll(
	value: INodeParameters[string],
	{ type = 'messagingAccount', name = 'caption' } = {},
) {
	const context = createExecuteContext({ parameters: { caption: value }, type }, ITEMS);
	const getNodeParameter = jest.spyOn(context, 'getNodeParameter');
	const { read } = createParameterReader(context);
	const values = ITEMS.map((_item, i) => read(name, i, 'none'));
	return { values, evaluated: getNodeParameter.mock.calls.length };
}

type Row = [entered: INodeParameters[string], values: unknown[], evaluated: number];

test.each<Row>([
	...['Hello', 7, true, ''].map((fixed): Row => [fixed, [fixed, fixed, fixed], 3]),
	['={{ $json.number }}', ['491', '492', '493'], 1],
	['={{ $json.count }}', [7, 7, 7], 1],
	['={{ $json.isFine }}', [false, false, false], 1],
	...['missing', 'missing.deep', 'nothing.deep', 'number.deep'].map(
		(path): Row => [`={{ $json.${path} }}`, [undefined, undefined, undefined], 3],
	),
	['={{ $json.number + "0" }}', ['4910', '4920', '4930'], 3],
	['=To {{ $json.number }}', ['To 491', 'To 492', 'To 493'], 3],
	[{ list: ['={{ $json.number }}'] }, [{ list: ['491'] }, { list: ['492'] }, { list: ['493'] }], 3],
])('%j gives %j for three items, of which n8n evaluates %d', (entered, values, evaluated) => {
	expect(readAll(entered)).toEqual({ values, evaluated });
});

test('what is not set is an option with its fallback, or an error from n8n', () => {
	expect(readAll('', { name: 'options.timeout' }).values).toEqual(['none', 'none', 'none']);
	const { read } = createParameterReader(createExecuteContext({ parameters: {} }, ITEMS));
	expect(() => read('missing', 0)).toThrow('Could not get parameter');
});

type Parts = [entered: unknown, parts: Record<string, unknown>, evaluated: number];

test.each<Parts>([
	['={{ $json.number }}', { '{{ $json.number }}': '491' }, 1],
	['={{ $json.number + "0" }}', { '{{ $json.number + "0" }}': '4910' }, 1],
	['=order-{{ $json.number }}', { '{{ $json.number }}': '491' }, 1],
	['={{ $json.a }}-{{ 7 + 1 }} ', { '{{ $json.a }}': undefined, '{{ 7 + 1 }}': 8 }, 3],
	["={{ $json.number }}{{\n'' }}", { '{{ $json.number }}': '491', "{{\n'' }}": '' }, 3],
	['=order-{{ $json.nothing }}-x', { '{{ $json.nothing }}': '' }, 1],
	['=order-{{ Number($json.oder) }}', { '{{ Number($json.oder) }}': '' }, 1],
	['={{ $json.oder', { '{{ $json.oder': undefined }, 1],
	['={{ 4 }}-{{ $json.oder', { '{{ 4 }}': 4, '{{ $json.oder': undefined }, 3],
	['=a \\{{ $json.number }}', {}, 1],
	['={{ "\\}}" }}', { '{{ "\\}}" }}': '}}' }, 1],
	...['=Order', '=', '', '{{ $json.number }}', 7, undefined].map((one): Parts => [one, {}, 1]),
])('the parts of %j are %j', (sendOnceId, expected, evaluated) => {
	const options = (sendOnceId === undefined ? {} : { sendOnceId }) as INodeParameters;
	const context = createExecuteContext({ parameters: { options } }, ITEMS);
	const getNodeParameter = jest.spyOn(context, 'getNodeParameter');
	const evaluateExpression = jest.spyOn(context, 'evaluateExpression');
	const { value, parts } = createParameterReader(context).readWithParts('options.sendOnceId', 0);
	expect(parts.map((part) => [part.expression, part.value])).toEqual(Object.entries(expected));
	expect(getNodeParameter.mock.calls.length + evaluateExpression.mock.calls.length).toBe(evaluated);
	expect(value).toBe(context.getNodeParameter('options.sendOnceId', 0, ''));
});

test('what n8n has evaluated alike once is taken in later executions, for the same node only', () => {
	const evaluate = (id: string, result?: string) => {
		const parameters = { caption: '={{ $json.number }}' };
		const context = createExecuteContext({ parameters, id }, ITEMS);
		const getNodeParameter = jest.spyOn(context, 'getNodeParameter');
		if (result) getNodeParameter.mockReturnValue(result as never);
		const { read } = createParameterReader(context);
		return [read('caption', 0), read('caption', 1), getNodeParameter.mock.calls.length];
	};
	expect(evaluate('a', 'n8n')).toEqual(['n8n', 'n8n', 3]);
	expect(evaluate('a')).toEqual(['491', '492', 1]);
	expect(evaluate('a')).toEqual(['491', '492', 0]);
	expect(evaluate('b')).toEqual(['491', '492', 1]);
});

test('a field whose name n8n refuses in expressions is taken all the same', () => {
	const parameters = { caption: '={{ $json.arguments }}' };
	const context = createExecuteContext({ parameters }, [{ arguments: 'a' }, { arguments: 'b' }]);
	const { read } = createParameterReader(context);
	expect([0, 1].map((i) => read('caption', i))).toEqual(['a', 'b']);
});

test('n8n evaluates every expression of a tool', () =>
	expect(readAll('={{ $json.number }}', { type: 'messagingAccountTool' }).evaluated).toBe(3));

const resultOf = (read: () => unknown): unknown => {
	try {
		return { value: read() };
	} catch (error) {
		return { error: (error as Error).message };
	}
};

const NAMES = fc.oneof(
	fc.constantFrom('number', 'Phone Number', '0', 'length', 'constructor', '__proto__', 'toString'),
	fc.string({ minLength: 1, maxLength: 5 }),
);
const VALUE = fc.jsonValue({ maxDepth: 1 });
const FIELDS = fc.dictionary(NAMES, VALUE, { maxKeys: 3 });
const JSON_ITEM = fc.dictionary(NAMES, fc.oneof(VALUE, FIELDS), { maxKeys: 4 });
const toStep = (name: string, inBrackets: boolean) => {
	if (!inBrackets && /^[A-Za-z_$][\w$]*$/.test(name)) return `.${name}`;
	return /^\d+$/.test(name) ? `[${name}]` : `[${JSON.stringify(name)}]`;
};

/** A step to the first field, or to this one if there is none. */
const first = (name = ''): [number, string, boolean] => [0, name, false];

test('a dragged field has the value that n8n would evaluate, whatever is in the item', () => {
	fc.assert(
		fc.property(
			JSON_ITEM,
			fc.array(fc.tuple(fc.nat(4), NAMES, fc.boolean()), { minLength: 1, maxLength: 3 }),
			(json, steps) => {
				// Mostly follows fields that exist.
				let at: unknown = json;
				const names = steps.map(([index, other]) => {
					const name = (typeof at === 'object' && at && Object.keys(at)[index]) || other;
					at = (at as Record<string, unknown> | undefined)?.[name];
					return name;
				});
				const path = names.map((name, i) => toStep(name, steps[i][2])).join('');
				const parameters = { caption: `={{ $json${path} }}` };
				const plain = names.reduceRight<unknown>((value, name) => ({ [name]: value }), 'x');
				const context = createExecuteContext({ parameters }, [plain, json] as IDataObject[]);
				const { read } = createParameterReader(context);
				// Only the first value that is taken is compared with n8n's.
				resultOf(() => read('caption', 0, 'none'));
				expect(resultOf(() => read('caption', 1, 'none'))).toEqual(
					resultOf(() => context.getNodeParameter('caption', 1, 'none')),
				);
			},
		),
		{
			numRuns: caseCount(1000),
			examples: [
				[{ constructor: 'x' }, [first()]],
				[{ toString: 'x' }, [first()]],
				[{ a: {} }, [first(), first('toString')]],
			],
		},
	);
});
