import fc, { type Drawn } from '../../../support/fastCheck';
import { POLLED_BY } from '../../../support/poller';

/** In s since 1970. */
const START = 1_700_000_000;

/** From this message on, the service does it differently. */
export const CHANGE = 9;

const toText = (seconds: number) => new Date(seconds * 1000).toISOString();

/** By its ID, a message has no place in the order. */
const timed = (n: number, sent_at: unknown, status: number) => ({
	id: `m${n * 7919}`,
	sent_at,
	status,
});

export const FORMATS = {
	'a numeric id': (n, status) => ({ id: n, status }),
	'a text id and a time': (n, status) => timed(n, toText(START + n), status),
	'a text id and no time': (n, status) => ({ id: `${n % 7}-${n}`, status }),
	'a wrapped message': (n, status) => ({
		message: { id: `x${n}`, text: 'hello' },
		external_id: null,
		read_date: status === 0 ? null : toText(status),
	}),
	'a time in most messages': (n, status) =>
		timed(n, n % 10 === 3 ? 0 : n % 10 === 7 ? '0001-01-01T00:00:00Z' : START + n, status),
	'a time in ms, later in s': (n, status) =>
		timed(n, n < CHANGE ? (START + n) * 1000 : START + n, status),
	'a time of a clock that is set back': (n, status) =>
		timed(n, START + n * 60 - (n < CHANGE ? 0 : 3600), status),
	'a number named like a time': (n, status) => ({ id: `m${n * 7919}`, time: n % 7, status }),
	'an id that counts and starts anew': (n, status) => ({
		id: n < CHANGE ? 5000 + n : n - CHANGE,
		status,
	}),
	'an id in some messages': (n, status) =>
		n % 3 === 0 ? { notice: `n${n}` } : { id: `m${n}`, status },
} satisfies Record<string, (n: number, status: number) => object>;

/** By their times or IDs, newer messages may be older than known ones. */
export const ODD: string[] = [
	'a time in most messages',
	'a time in ms, later in s',
	'a time of a clock that is set back',
	'a number named like a time',
	'an id that counts and starts anew',
];

export const REVEAL_ORDER = ['a numeric id', 'a text id and a time'];

/** By their times or IDs, few messages have an order: it is never certain, so older ones than the first poll may count as new. */
export const MAY_HIDE_ORDER: string[] = [
	'a time in most messages',
	'an id in some messages',
	'a text id and no time',
	'a wrapped message',
];

/** How a service lists its messages. */
export const services = fc.record({
	pageSize: fc.constantFrom(2, 3, 5, 100),
	newestFirst: fc.boolean(),
	/** The list is in a field of an object. */
	isWrapped: fc.boolean(),
	/** Each message is listed twice. */
	isDoubled: fc.boolean(),
	/** The format of a message. Editing a message changes its status. */
	format: fc.constantFrom(...(Object.keys(FORMATS) as Array<keyof typeof FORMATS>)),
	/** When the workflow is published. */
	isDownAtFirst: fc.boolean(),
	/** Number of messages before the first poll. */
	initialCount: fc.nat({ max: 7 }),
	/** The trigger's Page Limit; undefined if the service has only one page. */
	maxPages: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
	/** The service returns the first page for every page number. */
	ignoresPages: fc.boolean(),
	/** The trigger combines the messages of a sender, until a poll finds nothing new of them. */
	combines: fc.boolean(),
	/** At first. Only where n8n has them are there other polls than its own. */
	polledBy: fc.constantFrom(...POLLED_BY),
	/** The trigger leaves out the messages of a sender, whom a variable names. */
	filters: fc.boolean(),
	/** The name of a field that each poll finds changed, before all others. */
	changing: fc.constantFrom(
		...['chat_status', 'chat_name', 'chat_unread_count', 'group_size'],
		...['thread_title', 'last_seen_at', 'room_last_message_id'],
	),
});

export type SimulatedService = Drawn<typeof services>;
