import { NotStartedError } from '../../../../nodes/MessagingAccount/errors/errorClasses';
import { Throttle } from '../../../../nodes/MessagingAccount/sends/throttle';

const NEVER_ABORTED = new AbortController().signal;

beforeEach(() => {
	jest.useFakeTimers();
});

afterEach(() => {
	jest.useRealTimers();
});

test('starts tasks in order, with the delay between them', async () => {
	const throttle = new Throttle({ delay: 1000, randomExtraDelay: 0 }, NEVER_ABORTED);
	const started: number[] = [];
	for (const n of [1, 2, 3]) void throttle.run(async () => started.push(n));
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
	const throttle = new Throttle({ delay: 1000, randomExtraDelay: 0 }, NEVER_ABORTED);
	const started: number[] = [];
	void throttle.run(async () => undefined);
	void throttle.run(async () => await Promise.reject(new Error('x'))).catch(() => {});
	void throttle.run(async () => started.push(1));
	await jest.advanceTimersByTimeAsync(0);
	expect(started).toEqual([1]);
});

test('waits no longer than the delay if the clock is set back', async () => {
	const throttle = new Throttle({ delay: 1000, randomExtraDelay: 0 }, NEVER_ABORTED);
	const started: number[] = [];
	await throttle.run(async () => true);
	jest.setSystemTime(0);
	void throttle.run(async () => started.push(1));
	await jest.advanceTimersByTimeAsync(1000);
	expect(started).toEqual([1]);
});

test('each delay is longer by a random time, up to the extra delay', async () => {
	const draws = [0, 1, 0.5];
	const pace = { delay: 1000, randomExtraDelay: 500 };
	const throttle = new Throttle(pace, NEVER_ABORTED, () => draws.shift() ?? 0);
	const began = Date.now();
	const starts: number[] = [];
	for (let i = 0; i < 4; i++) void throttle.run(async () => starts.push(Date.now() - began));
	await jest.advanceTimersByTimeAsync(10_000);
	expect(starts).toEqual([0, 1000, 2500, 3750]);
});

test('starts nothing once the signal is aborted', async () => {
	const controller = new AbortController();
	const throttle = new Throttle({ delay: 1000, randomExtraDelay: 0 }, controller.signal);
	await throttle.run(async () => true);
	const second = throttle.run(async () => true);
	controller.abort();
	await expect(second).rejects.toThrow(NotStartedError);
	await expect(throttle.run(async () => true)).rejects.toThrow(NotStartedError);
});
