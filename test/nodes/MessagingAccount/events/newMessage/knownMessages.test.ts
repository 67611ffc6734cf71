import { diffMessages } from '../../../../../nodes/MessagingAccount/events/newMessage/diffMessages';
import type { KeyedMessage } from '../../../../../nodes/MessagingAccount/messages/messageKey';
import type { PollState } from '../../../../../nodes/MessagingAccount/events/newMessage/pollState';

const EMPTY = { account: '', idField: 'id', idEvidence: 10, asked: '', polledAt: '' };

/** In ms since 1970. */
const toTime = (n: number) => 1_700_000_000_000 + n;

const at = (n: number, time = n): KeyedMessage => ({
	key: `m${n}`,
	message: { id: `m${n}`, date: toTime(time) },
});

const withoutTime = (n: number): KeyedMessage => ({ key: `m${n}`, message: { id: `m${n}` } });

/** Polls a list that is given the newest first, and returns the keys of what is new. */
class Trigger {
	state?: PollState;

	poll(...listed: KeyedMessage[]): string[] {
		return this.pollList(listed);
	}

	pollList(listed: KeyedMessage[]): string[] {
		const { newMessages, next } = diffMessages([listed], this.state);
		const isFirst = this.state === undefined;
		this.state = { ...EMPTY, ...next };
		return isFirst ? [] : newMessages.map(({ key }) => key);
	}

	/** Polls messages as they come, 50 at a time. */
	pollAll(from: number, to: number): void {
		for (let n = from; n < to; n += 50) this.poll(...range(n, n + 49));
	}
}

const range = (from: number, to: number) =>
	Array.from({ length: to - from + 1 }, (_, i) => at(to - i));

const timesAfter = (...polls: KeyedMessage[][]) => {
	const polled = new Trigger();
	for (const listed of polls) polled.pollList(listed);
	return polled.state!.times!.ofKeys;
};

describe('what is forgotten', () => {
	const trigger = () => {
		const polled = new Trigger();
		polled.pollAll(1001, 2500);
		return polled;
	};

	test('is not new, wherever it is listed: something of it has changed', () => {
		const polled = trigger();
		expect(polled.state!.known).toHaveLength(1000);
		expect(polled.poll(at(1400), at(1001), ...range(2451, 2501))).toEqual(['m2501']);
		expect(polled.poll(...range(2451, 2500), at(1399))).toEqual([]);
	});

	test('is only what is older than all that is known: what comes late is new', () => {
		expect(trigger().poll(at(9000, 1700), ...range(2451, 2500))).toEqual(['m9000']);
	});

	test('is nothing as long as nothing is dropped', () => {
		const polled = new Trigger();
		polled.pollAll(1001, 1900);
		expect(polled.state!.times!.forgotten).toBeUndefined();
		expect(polled.poll(at(9000, 500), ...range(1851, 1900))).toEqual(['m9000']);
	});

	test.each([
		['later', 99_999],
		['earlier', 1],
	])('is told by most times: a wrong one that is much %s does no harm', (_than, wrong) => {
		const polled = new Trigger();
		polled.poll(...range(1001, 1050));
		for (let n = 1051; n < 2500; n += 50) polled.poll(...range(n, n + 48), at(n + 49, wrong));
		expect(polled.poll(...range(2451, 2501))).toContain('m2501');
		expect(polled.poll(at(1010), ...range(2451, 2501))).toEqual([]);
	});

	test('is nothing while no known message has a time', () => {
		const polled = new Trigger();
		polled.pollList(Array.from({ length: 1000 }, (_, n) => withoutTime(n)));
		expect(polled.poll(withoutTime(1000), at(999), at(998))).toEqual(['m1000']);
		expect(polled.poll(at(1001), at(1000), at(999), at(998))).toEqual(['m1001']);
	});

	test('takes one time in 100 messages', () => {
		const { ofKeys } = trigger().state!.times!;
		expect(ofKeys).toHaveLength(10);
		expect(ofKeys.every(([key, time]) => toTime(Number(key.slice(1))) === time)).toBe(true);
		expect(timesAfter(range(1, 99))).toEqual([]);
		expect(timesAfter(range(1, 100))).toEqual([['m51', toTime(51)]]);
		expect(timesAfter(range(1, 300), range(1, 300))).toEqual([['m151', toTime(151)]]);
	});

	test.each([
		['new', at(111), 111],
		['new and has a time', withoutTime(111), 110],
		['new, by time', at(111, 99_999), 112],
	])('takes the time in the middle of what is %s', (_what, middle, expected) => {
		const listed = [...range(112, 160), middle, ...range(1, 110)];
		expect(timesAfter(range(1, 60), listed)).toEqual([[`m${expected}`, toTime(expected)]]);
	});

	test('is not told by times in another field', () => {
		const polled = trigger();
		const inOther = (n: number) => ({ key: `m${n}`, message: { id: `m${n}`, sent_at: toTime(n) } });
		expect(polled.poll(...[1001, 2503, 2502, 2501, 2500, 2499, 2498].map(inOther))).toContain(
			'm1001',
		);
		expect(polled.state!.times).toMatchObject({ field: 'sent_at', oldest: undefined });
	});
});

test('a list may be as long as an item list can be', () => {
	const polled = new Trigger();
	polled.pollList(range(1, 200_000));
	expect(polled.state!.times).toMatchObject({ oldest: toTime(1), newest: toTime(200_000) });
});
