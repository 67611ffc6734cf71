import { callAtRate, type Progress } from './generator';

const RATE = { perSecond: 1000, seconds: 0.005 };

const createProgress = (): Progress => ({ calls: [], inProgress: 0 });

test('makes every call though none of the earlier ones has ended', async () => {
	const progress = createProgress();
	const started: number[] = [];
	let endAll: () => void;
	const allStarted = new Promise<void>((resolve) => (endAll = resolve));
	let mostInProgress = 0;
	await callAtRate(RATE, progress, async (index) => {
		started.push(index);
		mostInProgress = progress.inProgress;
		if (started.length === 5) endAll();
		await allStarted;
		return 200;
	});
	expect(started).toEqual([0, 1, 2, 3, 4]);
	expect(mostInProgress).toBe(5);
	expect(progress.inProgress).toBe(0);
	expect(progress.calls.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
});

test('measures a call from when it was due, not from when it was made', async () => {
	const progress = createProgress();
	const busyMs = 50;
	await callAtRate(RATE, progress, async (index) => {
		const end = performance.now() + busyMs;
		while (index === 0 && performance.now() < end);
		return 200;
	});
	const lateness = progress.calls.map(({ ms }) => ms >= busyMs - 5);
	expect(lateness).toEqual([true, true, true, true, true]);
});

test('a call without a response has no status', async () => {
	const progress = createProgress();
	await callAtRate({ perSecond: 1, seconds: 1 }, progress, async () => {
		throw new Error('fetch failed');
	});
	expect(progress.calls).toMatchObject([{ status: undefined }]);
});
