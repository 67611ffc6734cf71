import { NotStartedError } from '../../../../nodes/MessagingAccount/errors/notStartedError';
import { Throttle } from '../../../../nodes/MessagingAccount/sends/throttle';

const NEVER = new AbortController().signal;

beforeEach(() => {
	jest.useFakeTimers();
});

afterEach(() => {
	jest.useRealTimers();
});

test('lets sends start with the delay between them, in order', async () => {
	const pace = new Throttle(1000, NEVER);
	const started: number[] = [];
	for (const n of [1, 2, 3]) void pace.run(async () => started.push(n) > 0);
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
	const pace = new Throttle(1000, NEVER);
	const started: number[] = [];
	void pace.run(async () => false);
	void pace.run(async () => await Promise.reject(new Error('x'))).catch(() => {});
	void pace.run(async () => started.push(1) > 0);
	await jest.advanceTimersByTimeAsync(0);
	expect(started).toEqual([1]);
});

test('waits no longer than the delay when the clock is set back', async () => {
	const pace = new Throttle(1000, NEVER);
	const started: number[] = [];
	await pace.run(async () => true);
	jest.setSystemTime(0);
	void pace.run(async () => started.push(1) > 0);
	await jest.advanceTimersByTimeAsync(1000);
	expect(started).toEqual([1]);
});

test('starts nothing once it is halted', async () => {
	const halt = new AbortController();
	const pace = new Throttle(1000, halt.signal);
	await pace.run(async () => true);
	const second = pace.run(async () => true);
	halt.abort();
	await expect(second).rejects.toThrow(NotStartedError);
	await expect(pace.run(async () => true)).rejects.toThrow(NotStartedError);
});
