import {
	findListOrder,
	sortOldestFirst,
} from '../../../../../nodes/MessagingAccount/events/newMessage/listOrder';
import type { PollState } from '../../../../../nodes/MessagingAccount/events/newMessage/pollState';

const parse = (text: string) => [...text].map((key) => ({ key, message: key }));

/** @param pages a letter for each message; capital ones are known, in the order of the alphabet */
function find(
	pages: string,
	state?: Partial<PollState>,
	byTime?: { newestFirst?: boolean; steps: number },
) {
	const known = 'ABCDEFGH'.split('');
	return findListOrder(
		pages.split('/').map(parse),
		byTime && { field: 'date', ...byTime },
		state && { account: '', idField: '', idEvidence: 1, longestList: 0, known, ...state },
	);
}

describe('the order of a list', () => {
	test('is certain by many times, whatever else is known', () => {
		const state = { newestFirst: true, orderEvidence: 6 };
		const certain = { newestFirst: false, evidence: 6, isCertain: true };
		expect(find('xBA', state, { newestFirst: false, steps: 10 })).toEqual(certain);
		expect(find('xBA', state, { newestFirst: false, steps: 9 })).toMatchObject({
			newestFirst: true,
		});
		expect(find('xBA', state, { steps: 50 })).toMatchObject({ newestFirst: true });
	});

	test('is that of few times while nothing else tells', () => {
		const byTime = { newestFirst: true, steps: 1 };
		expect(find('ba', undefined, byTime)).toEqual({
			newestFirst: true,
			evidence: 1,
			isCertain: false,
		});
		expect(find('ABx', {}, byTime)).toMatchObject({ newestFirst: false });
		expect(find('AB', { newestFirst: false, orderEvidence: 1 }, byTime)).toMatchObject({
			newestFirst: false,
		});
	});

	test('is not known if nothing tells', () => {
		const unknown = { newestFirst: undefined, evidence: 0, isCertain: false };
		expect(find('ab')).toEqual(unknown);
		expect(find('AB', {})).toEqual(unknown);
	});

	test.each([
		[0, 'xBA', { newestFirst: true, evidence: 1, isCertain: false }],
		[2, 'xBA', { newestFirst: true, evidence: 3, isCertain: false }],
		[3, 'xBA', { newestFirst: true, evidence: 4, isCertain: true }],
		[6, 'xBA', { newestFirst: true, evidence: 6, isCertain: true }],
		[3, 'BAx', { newestFirst: true, evidence: 2, isCertain: true }],
		[2, 'BAx', { newestFirst: true, evidence: 1, isCertain: false }],
		[1, 'BAx', { newestFirst: false, evidence: 1, isCertain: false }],
		[4, 'BA', { newestFirst: true, evidence: 4, isCertain: true }],
		[4, 'xBAx', { newestFirst: true, evidence: 4, isCertain: true }],
	])('gains or loses evidence by positions: %d, %s', (orderEvidence, list, expected) => {
		expect(find(list, { newestFirst: true, orderEvidence })).toEqual(expected);
	});

	test('of an earlier version has evidence of one poll', () => {
		expect(find('BA', { newestFirst: true })).toMatchObject({ evidence: 1 });
	});

	test('is not told by a single known message against earlier polls', () => {
		expect(find('Axx', { newestFirst: true, orderEvidence: 1 })).toMatchObject({
			newestFirst: true,
		});
		expect(find('Axx', {})).toMatchObject({ newestFirst: false });
		const onlyOne = { newestFirst: true, orderEvidence: 1, known: ['A'] };
		expect(find('Axx', onlyOne)).toMatchObject({ newestFirst: false });
	});

	test('has changed if known messages are listed the other way round', () => {
		const reversed = { evidence: 1, isCertain: false };
		expect(find('AB', { newestFirst: true, orderEvidence: 6 })).toEqual({
			...reversed,
			newestFirst: false,
		});
		expect(find('BA', { newestFirst: false, orderEvidence: 6 })).toEqual({
			...reversed,
			newestFirst: true,
		});
		expect(find('AC/BD', { newestFirst: false, orderEvidence: 6 })).toMatchObject({
			newestFirst: false,
		});
		expect(find('DA/BC', { newestFirst: true, orderEvidence: 6 })).toMatchObject({
			newestFirst: true,
		});
	});

	test('is told by any page, but after pages that could not be read by the first one only', () => {
		expect(find('yx/wBA', {})).toMatchObject({ newestFirst: true });
		const state = { newestFirst: true, orderEvidence: 2, recheckAfter: 'A' };
		expect(find('DC/BxA', state)).toMatchObject({ evidence: 2 });
		expect(find('DC/Bx', state)).toMatchObject({ evidence: 2 });
		expect(find('xDC/Bx', state)).toMatchObject({ evidence: 3 });
		expect(find('DC/Bx', { recheckAfter: 'A' })).toMatchObject({ newestFirst: false });
	});
});

test.each([
	[true, 'dcba'],
	[false, 'cdab'],
	[undefined, 'cdab'],
])(
	'messages are sorted if the newest first is %s, with the newest on the first page',
	(newestFirst, expected) => {
		const sorted = sortOldestFirst([parse('ab'), parse('cd')], newestFirst);
		expect(sorted.map(({ key }) => key).join('')).toBe(expected);
	},
);
