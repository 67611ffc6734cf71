import type { IExecuteFunctions } from 'n8n-workflow';

import { countRepeats, slowDownCircle } from '../../../../nodes/MessagingAccount/execution/circle';

const ERROR = { message: 'Not now', delivery: 'unknown' };

test.each([
	[{ number: '1' }, 0],
	[{ error: null }, 0],
	[{ error: 'Not now' }, 0],
	[{ error: { code: 7 } }, 0],
	[{ error: ERROR }, 1],
	[{ error: { ...ERROR, repeats: 'often' } }, 1],
	[{ error: { ...ERROR, repeats: 1 } }, 2],
	[{ error: { ...ERROR, repeats: 41 } }, 42],
])('%j has come back so often: %d', (json, count) => {
	expect(countRepeats({ json })).toBe(count);
});

describe('a run of the node', () => {
	const hints: string[] = [];
	const stop = new AbortController();
	let isOver: boolean;

	beforeEach(() => {
		jest.useFakeTimers();
		hints.length = 0;
		isOver = false;
	});

	afterEach(() => {
		jest.useRealTimers();
	});

	/** @param repeats of the failed items; undefined after a request */
	const run = async (repeats: Array<number | undefined>, round: number, hasRequested: boolean) => {
		const context = {
			getWorkflowDataProxy: () => ({ $runIndex: round - 1 }),
			getExecutionCancelSignal: () => stop.signal,
			addExecutionHints: ({ message }: { message: string }) => hints.push(message),
		} as unknown as IExecuteFunctions;
		const errors = repeats.map((count, itemIndex) => ({
			itemIndex,
			error: new Error(),
			repeats: count,
		}));
		void slowDownCircle(context, errors, hasRequested).then(() => (isOver = true));
		await jest.advanceTimersByTimeAsync(0);
	};

	const REST =
		'back to this node again and again without being sent. Wire the error output to another node, e.g. one that adds them to a table.';
	const ONE = [`1 item comes ${REST}`];
	const TWO = [`2 items come ${REST}`];

	test.each([
		[[], 1, 1, []],
		[[0, 0], 1, 1, []],
		[[1, 2], 3, 1, []],
		[[3], 4, 1000, ONE],
		[[4, 3], 5, 2000, TWO],
		[[0, 8], 9, 32_000, ONE],
		[[9], 10, 60_000, ONE],
		[[4000], 4001, 60_000, ONE],
		[[0], 19, 1, []],
		[[0], 20, 100, []],
		[[], 1000, 100, []],
		[[2], 1000, 100, []],
		[[3], 1000, 1000, ONE],
	])(
		'whose items come back %j times, in round %d, takes %d ms longer',
		async (repeats, round, ms, expected) => {
			await run(repeats, round, false);
			await jest.advanceTimersByTimeAsync(ms - 1);
			expect(isOver).toBe(false);
			await jest.advanceTimersByTimeAsync(1);
			expect(isOver).toBe(true);
			expect(hints).toEqual(expected);
		},
	);

	test('that made a request takes no longer, unless items come back', async () => {
		await run([undefined, 0], 1000, true);
		expect(isOver).toBe(true);
		isOver = false;
		await run([undefined, 3], 4, true);
		expect(isOver).toBe(false);
		expect(hints).toEqual(ONE);
	});

	test('ends at once when the execution is stopped', async () => {
		await run([9], 10, false);
		stop.abort();
		await jest.advanceTimersByTimeAsync(0);
		expect(isOver).toBe(true);
	});
});
