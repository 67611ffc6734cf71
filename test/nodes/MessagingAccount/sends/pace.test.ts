import { Pace } from '../../../../nodes/MessagingAccount/sends/pace';
import { NotStarted } from '../../../../nodes/MessagingAccount/service/tries';

const NEVER = new AbortController().signal;

beforeEach(() => {
	jest.useFakeTimers();
});

afterEach(() => {
	jest.useRealTimers();
});

test('lets sends start with the delay between them, in order', async () => {
	const pace = new Pace(1000, NEVER);
	const started: number[] = [];
	for (const n of [1, 2, 3]) void pace.inTurn(async () => started.push(n) > 0);
	await jest.advanceTimersByTimeAsync(0);
	expect(started).toEqual([1]);
	await jest.advanceTimersByTimeAsync(999);
	expect(started).toEqual([1]);
	await jest.advanceTimersByTimeAsync(1);
	expect(started).toEqual([1, 2]);
	await jest.advanceTimersByTimeAsync(1000);
	expect(started).toEqual([1, 2, 3]);
});

test('needs no wait after one that did not start after all, or failed', async () => {
	const pace = new Pace(1000, NEVER);
	const started: number[] = [];
	void pace.inTurn(async () => false);
	void pace.inTurn(async () => await Promise.reject(new Error('x'))).catch(() => {});
	void pace.inTurn(async () => started.push(1) > 0);
	await jest.advanceTimersByTimeAsync(0);
	expect(started).toEqual([1]);
});

test('waits no longer than the delay when the clock is set back', async () => {
	const pace = new Pace(1000, NEVER);
	const started: number[] = [];
	await pace.inTurn(async () => true);
	jest.setSystemTime(0);
	void pace.inTurn(async () => started.push(1) > 0);
	await jest.advanceTimersByTimeAsync(1000);
	expect(started).toEqual([1]);
});

test('starts nothing once it is halted', async () => {
	const halt = new AbortController();
	const pace = new Pace(1000, halt.signal);
	await pace.inTurn(async () => true);
	const second = pace.inTurn(async () => true);
	halt.abort();
	await expect(second).rejects.toThrow(NotStarted);
	await expect(pace.inTurn(async () => true)).rejects.toThrow(NotStarted);
});
