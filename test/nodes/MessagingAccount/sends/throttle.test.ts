import { NotStartedError } from '../../../../nodes/MessagingAccount/errors/notStartedError';
import { Throttle } from '../../../../nodes/MessagingAccount/sends/throttle';

const NEVER_ABORTED = new AbortController().signal;

beforeEach(() => {
	jest.useFakeTimers();
});

afterEach(() => {
	jest.useRealTimers();
});

test('starts tasks in order, with the delay between them', async () => {
	const throttle = new Throttle(1000, NEVER_ABORTED);
	const started: number[] = [];
	for (const n of [1, 2, 3]) void throttle.run(async () => started.push(n) > 0);
	await jest.advanceTimersByTimeAsync(0);
	expect(started).toEqual([1]);
	await jest.advanceTimersByTimeAsync(999);
	expect(started).toEqual([1]);
	await jest.advanceTimersByTimeAsync(1);
	expect(started).toEqual([1, 2]);
	await jest.advanceTimersByTimeAsync(1000);
	expect(started).toEqual([1, 2, 3]);
});

test('does not wait after a task that did not start or failed', async () => {
	const throttle = new Throttle(1000, NEVER_ABORTED);
	const started: number[] = [];
	void throttle.run(async () => false);
	void throttle.run(async () => await Promise.reject(new Error('x'))).catch(() => {});
	void throttle.run(async () => started.push(1) > 0);
	await jest.advanceTimersByTimeAsync(0);
	expect(started).toEqual([1]);
});

test('waits no longer than the delay if the clock is set back', async () => {
	const throttle = new Throttle(1000, NEVER_ABORTED);
	const started: number[] = [];
	await throttle.run(async () => true);
	jest.setSystemTime(0);
	void throttle.run(async () => started.push(1) > 0);
	await jest.advanceTimersByTimeAsync(1000);
	expect(started).toEqual([1]);
});

test('starts nothing once the signal is aborted', async () => {
	const controller = new AbortController();
	const throttle = new Throttle(1000, controller.signal);
	await throttle.run(async () => true);
	const second = throttle.run(async () => true);
	controller.abort();
	await expect(second).rejects.toThrow(NotStartedError);
	await expect(throttle.run(async () => true)).rejects.toThrow(NotStartedError);
});
