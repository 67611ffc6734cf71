import { ApiError, NotTriedError } from '../../../../nodes/MessagingAccount/errors/errorClasses';
import * as sleeping from '../../../../nodes/MessagingAccount/n8n/sleep';
import {
	CircuitBreaker,
	createOutage,
	getCircuitBreakers,
} from '../../../../nodes/MessagingAccount/sends/circuitBreaker';
import fc from '../../../support/fastCheck';

afterEach(() => jest.restoreAllMocks());

const errorOf = (status: number, retryAfter?: number) =>
	new ApiError('Not sent', { description: '', result: { status, retryAfter } });
const ERRORS = { fails: errorOf(502), limited: errorOf(429, 30_000), refused: errorOf(422) };

/** What the service does with a send, and whether its status says that the account is connected. */
type Second = { sends: 'sent' | keyof typeof ERRORS; isConnected: boolean };

function createService(waitMs: number, isConnected: () => boolean) {
	const { signal } = new AbortController();
	return {
		itemIndex: 0,
		account: 'a',
		waitMs,
		signal,
		prepareToWait: async () => {},
		isReady: async () => isConnected(),
	};
}

/**
 * Sends a list through breakers, in a time of its own: a wait takes none, and each request a second.
 * @param accounts of the items, in turn
 */
async function sendList(
	count: number,
	concurrency: number,
	seconds: Second[],
	waitMs: number,
	accounts = ['a'],
	roundSize = Infinity,
) {
	let now = 0;
	const at = () => seconds[Math.min(Math.floor(now / 1000), seconds.length - 1)];
	const nodeContext = {};
	const context = { getExecutionId: () => '1', getContext: () => nodeContext };
	let breakerOf = getCircuitBreakers(context as never);
	jest.spyOn(performance, 'now').mockImplementation(() => now);
	jest.spyOn(sleeping, 'sleepUnlessAborted').mockImplementation(async (ms) => {
		now += Math.max(ms, 0);
		return true;
	});
	const service = createService(waitMs, () => at().isConnected);
	const events: string[] = [];
	let next = 0;
	const send = async (mayStart: () => boolean) => {
		// As a turn of the throttle.
		await Promise.resolve();
		if (!mayStart()) return undefined;
		const { sends } = at();
		now += 1000;
		// Sends that are under way at the same time end in turns.
		await Promise.resolve();
		events.push(sends);
		if (sends !== 'sent') throw ERRORS[sends];
		return 'sent';
	};
	const worker = async () => {
		while (next < count) {
			if (next > 0 && next % roundSize === 0) breakerOf = getCircuitBreakers(context as never);
			const clientId = accounts[next++ % accounts.length];
			const breaker = breakerOf({ baseUrl: 'http://a', clientId } as never);
			const tryOnce = async () =>
				await breaker.run(send, service).catch((error: unknown) => {
					if (error instanceof NotTriedError) events.push('notTried');
					else if (!(error instanceof ApiError)) throw error;
					return 'failed';
				});
			// As the sender: it did not start.
			while ((await tryOnce()) === undefined);
		}
	};
	await Promise.all(Array.from({ length: concurrency }, worker));
	return events;
}

const countOf = (events: string[], event: string) => events.filter((one) => one === event).length;

const second = fc.record<Second>({
	sends: fc.constantFrom('sent', 'fails', 'fails', 'refused'),
	isConnected: fc.boolean(),
});

test('an outage costs three sends, those under way, and three trials, wherever it begins and ends', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.integer({ min: 0, max: 60 }),
			fc.integer({ min: 1, max: 20 }),
			fc.array(second, { minLength: 1, maxLength: 80 }),
			fc.constantFrom(0, 1000, 60_000, 3_600_000),
			fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 30 }),
			fc.constantFrom(Infinity, 1, 4),
			async (count, concurrency, seconds, waitMs, accounts, size) => {
				const events = await sendList(count, concurrency, seconds, waitMs, accounts, size);
				// If they come one after another, the first failure of a second account tells that the service fails.
				const isOfOne = new Set(accounts).size === 1;
				const most = isOfOne ? 3 + 3 : 3 + 3 + 1 + 3;
				expect(events).toHaveLength(count);
				// Failures in a row, without those that are refused.
				const others = events.filter((event) => event !== 'refused');
				for (const run of others.join(' ').split('sent')) {
					const failures = countOf(run.split(' '), 'fails');
					expect(failures).toBeLessThanOrEqual(most + (concurrency - 1));
				}
				// Nothing is given up unless three have failed in a row.
				const before = events.slice(0, events.indexOf('notTried'));
				if (events.includes('notTried')) expect(countOf(before, 'fails')).toBeGreaterThanOrEqual(3);
			},
		),
	);
});

const SENDS = ['sent', 'fails', 'limited', 'refused'] as const;
const lists = (sends: string, connected: string): Second[] =>
	[...sends].map((one, i) => ({
		sends: SENDS.find(([first]) => first === one)!,
		isConnected: connected[Math.min(i, connected.length - 1)] === 'y',
	}));

test.each([
	['gives up at once without time to wait', 6, 'f', 'y', 'fffnnn', 0],
	['stops after three', 10, 'ffff', 'n', 'fff' + 'n'.repeat(7)],
	['goes on after a recovery', 6, 'fff' + 's'.repeat(20), 'nnnny', 'fffsss'],
	['does not count refusals', 8, 'rrrrrrrr', 'n', 'rrrrrrrr'],
	['does not let a refusal end the count', 7, 'frfrfrf', 'n', 'frfrfnn'],
	['lets a success end the count', 8, 'ffsffsff', 'n', 'ffsffsff'],
	['tries three times while the status is well', 9, 'f', 'y', 'ffffffnnn'],
	['tries the next one after a refused trial', 6, 'fffrrs' + 's'.repeat(9), 'y', 'fffrrs'],
	['reads the status anew in a second outage', 9, 'fffsfff', 'yyyyn', 'fffsfffnn'],
	['waits as long as the service asks', 5, 'lll' + 'f'.repeat(30) + 'ss', 'y', 'lllss'],
	['does not wait in vain', 5, 'l'.repeat(30), 'y', 'lllnn', 20_000],
	['looks again in the next round', 9, 'fff' + 's'.repeat(9), 'y', 'fffnnssss', 0, 5],
	['sends nothing in later rounds before the service allows', 9, 'l', 'y', 'lllnnnnnn', 0, 3],
	['tries three times over all rounds', 12, 'f', 'y', 'fffnfnfnfnnn', 0, 2],
])('%s', async (_name, count, sends, connected, expected, waitMs = 60_000, roundSize?: number) => {
	const events = await sendList(count, 1, lists(sends, connected), waitMs, ['a'], roundSize);
	expect(events.map((event) => event[0]).join('')).toBe(expected);
});

/** After three failures of an account. */
const OPEN = { ...createOutage(), failures: 3, accounts: ['a'] };

test('a send that is not tried says what failed, how often and since when', async () => {
	const since = '2026-11-28T20:31:05.123Z';
	const reason = 'Bad gateway (HTTP 502)';
	const breaker = new CircuitBreaker({ ...OPEN, since, reason, phase: 'over' });
	await expect(breaker.run(async () => 'sent', {} as never)).rejects.toMatchObject({
		message: 'This item was not tried, because the service does not work',
		description: expect.stringMatching(
			/^3 sends did not succeed, the first one at 2026-11-28 20:31:05 UTC\. The last one: Bad gateway \(HTTP 502\)\./,
		) as string,
	});
});

test('reads the status at once, then after 5, 10, 20, 40 and 60 s, and at the end of the time', async () => {
	const delays: number[] = [];
	const { sleepUnlessAborted } = sleeping;
	jest.spyOn(sleeping, 'sleepUnlessAborted').mockImplementation(async (ms) => {
		delays.push(ms);
		return await sleepUnlessAborted(0);
	});
	const breaker = new CircuitBreaker(OPEN);
	const timeouts: number[] = [];
	const isReady = async (timeout: number) => await Promise.resolve(timeouts.push(timeout) < 0);
	const service = { ...createService(240_000, () => false), isReady };
	await expect(breaker.run(async () => 'sent', service)).rejects.toThrow(NotTriedError);
	// A status that does not come keeps nobody from reading it again.
	expect(Math.max(...timeouts)).toBe(15_000);
	expect(delays.map((ms) => Math.round(ms / 1000))).toEqual([0, 5, 10, 20, 40, 60, 60, 45]);
	const inLaterRound = new CircuitBreaker({ ...OPEN, phase: 'lastLook' });
	await expect(inLaterRound.run(async () => 'sent', service)).rejects.toThrow(NotTriedError);
	expect(timeouts.at(-1)).toBe(15_000);
});
