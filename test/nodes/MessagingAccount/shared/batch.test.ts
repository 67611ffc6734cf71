import { Batch } from '../../../../nodes/MessagingAccount/shared/batch';

let now = 0;
beforeEach(() => {
	now = 1000;
	jest.spyOn(performance, 'now').mockImplementation(() => now);
	// The clock of the computer, which is set back an hour meanwhile, does not matter.
	let hour = 7;
	jest.spyOn(Date, 'now').mockImplementation(() => 3_600_000 * hour--);
});
afterEach(() => jest.restoreAllMocks());

/** A batch of this size has begun, and so many of it have started after some time. */
function createBatch(size: number, progress: number, ms: number, minSize = 2): Batch {
	const batch = new Batch(minSize);
	batch.begin(size);
	batch.progress = progress;
	now += ms;
	return batch;
}

test('the first batch has as many sends as may be in progress at a time', () => {
	const batch = new Batch(3);
	expect([batch.size, batch.nextSize(), batch.size]).toEqual([3, 3, 3]);
});

test.each([
	['as many as start in 0.7 s', 100, 50, 350, 100],
	['at least those that may be in progress', 100, 0, 350, 2],
	['at most 32 times as many as the one before', 3, 3, 1, 96],
])('the next batch has %s', (_what, size, progress, ms, next) => {
	const batch = createBatch(size, progress, ms);
	expect(batch.nextSize()).toBe(next);
	expect(batch.size).toBe(next);
});

test('what started in an earlier batch does not count', () => {
	const batch = createBatch(100, 100, 500);
	batch.begin(100);
	now += 700;
	expect(batch.nextSize()).toBe(2);
});

test('it is late 900 ms after it began', () => {
	const late = [0, 899, 900, 5000].filter((ms) => createBatch(1, 0, ms).isLate);
	expect(late).toEqual([900, 5000]);
});

test('before the first batch, what was sent is late at once', () => {
	expect(new Batch(1).isLate).toBe(true);
});
