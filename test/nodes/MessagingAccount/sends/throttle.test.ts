import { NotStartedError } from '../../../../nodes/MessagingAccount/errors/errorClasses';
import { pacesByAccount, Throttle } from '../../../../nodes/MessagingAccount/sends/throttle';

const NEVER_ABORTED = new AbortController().signal;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => {
	jest.useRealTimers();
	jest.restoreAllMocks();
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
	jest.setSystemTime(Date.now() - 60_000);
	void throttle.run(async () => started.push(1));
	await jest.advanceTimersByTimeAsync(1000);
	expect(started).toEqual([1]);
});

test('each delay is longer by a random time, up to the extra delay', async () => {
	const draws = [0, 1, 0.5];
	jest.spyOn(Math, 'random').mockImplementation(() => draws.shift() ?? 0);
	const throttle = new Throttle({ delay: 1000, randomExtraDelay: 500 }, NEVER_ABORTED);
	const began = Date.now();
	const starts: number[] = [];
	for (let i = 0; i < 4; i++) void throttle.run(async () => starts.push(Date.now() - began));
	await jest.advanceTimersByTimeAsync(10_000);
	expect(starts).toEqual([0, 1000, 2500, 3750]);
});

describe('with a pace per account', () => {
	const ofAccount = (account: string, delay: number, signal = NEVER_ABORTED) => {
		const throttle = new Throttle({ delay, randomExtraDelay: 0 }, signal);
		return { run: async <T>(task: () => Promise<T>) => await throttle.run(task, account) };
	};
	let starts: Record<string, number>;
	let began: number;
	const start = (throttle: Pick<Throttle, 'run'>, name: string) =>
		throttle.run(async () => (starts[name] = Date.now() - began));

	beforeEach(() => {
		pacesByAccount.clear();
		starts = {};
		began = Date.now();
	});

	test('each keeps the account busy for its own delay', async () => {
		const [slow, fast] = [ofAccount('a', 5000), ofAccount('a', 1000)];
		for (const [name, throttle] of Object.entries({ a: slow, b: fast, c: fast, d: slow }))
			void start(throttle, name);
		await jest.advanceTimersByTimeAsync(20_000);
		expect(starts).toEqual({ a: 0, b: 5000, c: 6000, d: 7000 });
	});

	test('other accounts, and runs without the option, do not wait', async () => {
		void start(ofAccount('a', 1000), 'a');
		void start(ofAccount('b', 1000), 'b');
		void start(new Throttle({ delay: 1000, randomExtraDelay: 0 }, NEVER_ABORTED), 'c');
		await jest.advanceTimersByTimeAsync(0);
		expect(starts).toEqual({ a: 0, b: 0, c: 0 });
	});

	test('Stop ends the waiting at once, behind others, too, and these go on', async () => {
		const controller = new AbortController();
		const stopped = ofAccount('a', 1000, controller.signal);
		const other = ofAccount('a', 60_000);
		await start(other, 'a');
		void start(other, 'b');
		const waiting = start(stopped, 'c');
		void start(other, 'd');
		await jest.advanceTimersByTimeAsync(10);
		controller.abort();
		await expect(waiting).rejects.toThrow(NotStartedError);
		await expect(start(stopped, 'e')).rejects.toThrow(NotStartedError);
		await jest.advanceTimersByTimeAsync(200_000);
		expect(starts).toEqual({ a: 0, b: 60_000, d: 120_000 });
	});

	test('Stop does not abandon what has started', async () => {
		const controller = new AbortController();
		let end = () => {};
		const started = new Promise<string>((resolve) => (end = () => resolve('sent')));
		const send = ofAccount('a', 0, controller.signal).run(async () => await started);
		await jest.advanceTimersByTimeAsync(0);
		controller.abort();
		await jest.advanceTimersByTimeAsync(0);
		end();
		expect(await send).toBe('sent');
	});
});
