import type { IExecuteFunctions } from 'n8n-workflow';

import type { ItemError } from '../../../../nodes/MessagingAccount/errors/itemErrors';
import { slowDownLoop } from '../../../../nodes/MessagingAccount/execution/loopBrake';

const hints: string[] = [];
let stop: AbortController;
let isOver: boolean;

beforeEach(() => {
	jest.useFakeTimers();
	hints.length = 0;
	stop = new AbortController();
	isOver = false;
});

afterEach(() => jest.useRealTimers());

/** @param input the field `error` of each item; all of them fail again */
async function run(input: unknown[], round: number, hasRequested: boolean): Promise<ItemError[]> {
	const context = {
		getInputData: () => input.map((error) => ({ json: { number: '1', error } })),
		getWorkflowDataProxy: () => ({ $runIndex: round - 1 }),
		getExecutionCancelSignal: () => stop.signal,
		addExecutionHints: ({ message }: { message: string }) => hints.push(message),
	} as unknown as IExecuteFunctions;
	const errors = input.map((_error, itemIndex): ItemError => ({ itemIndex, error: new Error() }));
	void slowDownLoop(context, errors, hasRequested).then(() => (isOver = true));
	await jest.advanceTimersByTimeAsync(0);
	return errors;
}

const failed = (repeats?: unknown) => ({ message: 'Not now', delivery: 'unknown', repeats });

test.each([
	[undefined, 9, 0],
	[null, 9, 0],
	['Not now', 9, 0],
	[{ code: 7 }, 9, 0],
	[failed(), 9, 1],
	[failed('often'), 9, 1],
	[failed(1), 9, 2],
	// Of an earlier execution.
	[failed(1), 1, 0],
	[failed(41), 4, 3],
])('an item with the error %j in round %d has come back %d times', async (error, round, count) => {
	expect(await run([error], round, false)).toMatchObject([{ repeats: count }]);
});

const REST =
	'back to this node again and again with an error. Connect the error output to another node, e.g. one that adds them to a table.';
const ONE = [`1 item comes ${REST}`];

test.each([
	[[], 1, 1, []],
	[[failed(), failed(1)], 3, 1, []],
	[[failed(2)], 4, 1000, ONE],
	[[failed(3), failed(2)], 5, 2000, [`2 items come ${REST}`]],
	[[undefined, failed(7)], 9, 32_000, ONE],
	[[failed(8)], 10, 60_000, ONE],
	[[failed(4000)], 4002, 60_000, ONE],
	[[undefined], 19, 1, []],
	[[undefined], 20, 100, []],
	[[], 1000, 1, []],
	[[failed(1)], 1000, 100, []],
	[[failed(2)], 1000, 1000, ONE],
])('the errors %j come back: round %d takes %d ms longer', async (input, round, ms, expected) => {
	await run(input, round, false);
	await jest.advanceTimersByTimeAsync(ms - 1);
	expect(isOver).toBe(false);
	await jest.advanceTimersByTimeAsync(1);
	expect(isOver).toBe(true);
	expect(hints).toEqual(expected);
});

test('a round with a request takes no longer, unless items come back', async () => {
	await run([undefined, failed()], 1000, true);
	expect(isOver).toBe(true);
	isOver = false;
	await run([undefined, failed(2)], 4, true);
	expect(isOver).toBe(false);
	expect(hints).toEqual(ONE);
});

test('the wait ends when the execution is stopped', async () => {
	await run([failed(8)], 10, false);
	stop.abort();
	await jest.advanceTimersByTimeAsync(0);
	expect(isOver).toBe(true);
});
