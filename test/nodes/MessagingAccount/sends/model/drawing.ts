import type { Arbitrary } from 'fast-check';

import fc, { type Drawn } from '../../../../support/fastCheck';
import { FAULTS, type Fault } from '../../../../support/faults';
import type { Course } from '../../../../support/simulation';
import { ACCOUNTS, CAPTIONS, URLS, type Workflow } from './workflow';

/** Endings of a request, except those that take long. */
const SLOW = /endless|too large|nested|an hour|no response/;
const ENDINGS: Fault[] = FAULTS.filter(({ name }) => !SLOW.test(name));

/** How one request ends: successfully, or with a fault, which may hide that the message was sent. */
export interface Ending {
	fault?: Fault;
	isDelivered: boolean;
}

/** One of two, and the first one `weight` times as often. */
const mostly = <T, U>(weight: number, first: Arbitrary<T>, second: Arbitrary<U>) =>
	fc.oneof({ weight, arbitrary: first }, { weight: 1, arbitrary: second });

/** Undefined most of the time. */
export const rarely = (max: number) => mostly(3, fc.constant(undefined), fc.nat({ max }));

const seldom = fc.constantFrom(false, false, false, true);

const success = fc.constant<Ending>({ isDelivered: true });
const failure = fc.record({ fault: fc.constantFrom(...ENDINGS), isDelivered: fc.boolean() });
export const endings: Arbitrary<Ending[]> = fc.array(
	fc.oneof({ weight: 3, arbitrary: success }, { weight: 2, arbitrary: failure }),
	{ maxLength: 12 },
);

const settings = fc.record({
	onError: fc.constantFrom('stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'),
	retryOnFail: fc.boolean(),
	concurrency: fc.constantFrom(1, 1, 3),
	resendUncertain: seldom,
	sendOnceId: mostly(4, fc.constant('off'), fc.constantFrom('order', 'shared')),
	/** Which items come to the node again in a further round: those of the error output, or all. */
	loop: fc.constantFrom('no', 'no', 'failed', 'all'),
	endings,
	/** n8n crashes at this request, response or write to its database. */
	crashAt: rarely(15),
	/** The execution is stopped at this request. */
	stopAt: rarely(6),
	/** Afterwards, enough time passes for what nobody waits for. */
	isFollowedByPause: fc.boolean(),
});
export type RunSettings = Drawn<typeof settings>;

const item = fc.record({ person: fc.nat({ max: 3 }), tag: fc.nat({ max: 1 }) });
const items = mostly(
	9,
	fc.array(item, { minLength: 1, maxLength: 5 }),
	fc.array(item, { minLength: 6, maxLength: 30 }),
);

/** It may be retried while it runs, because n8n shows it as ended. */
const start = fc.record({ items, settings, atOnce: seldom, isRetried: seldom });
export type StartStep = Drawn<typeof start>;

const retry = fc.record({
	/** Which of those that can be retried. */
	execution: fc.nat({ max: 5 }),
	workflow: fc.constantFrom('original', 'current'),
	settings,
	/** Two of them at once. */
	atOnce: seldom,
	/** An execution that was not stored at its end runs once more, as n8n began it: it goes on although n8n shows it as ended. */
	isRerun: seldom,
});
export type Retry = Drawn<typeof retry>;

const mended = fc.record({ item: fc.nat({ max: 2 }), person: fc.nat({ max: 3 }) });
const edit: Arbitrary<Partial<Workflow>> = fc.oneof(
	fc.record({ caption: fc.constantFrom(...keysOf(CAPTIONS)) }),
	fc.record({ url: fc.constantFrom(...keysOf(URLS)) }),
	fc.record({ note: fc.nat({ max: 1 }) }),
	fc.record({ list: fc.constantFrom('asIs', 'reversed', 'inserted', 'shortened', 'swapped') }),
	fc.record({ account: fc.constantFrom(...keysOf(ACCOUNTS)) }),
	fc.record({ isReplaced: fc.boolean() }),
	fc.record({ mended: fc.option(mended, { nil: undefined }) }),
);
export type Step = { start: StartStep } | { retry: Retry } | { edit: Partial<Workflow> };

export const firstStep = fc.record({ start });
export const steps: Arbitrary<Step> = fc.oneof(
	{ weight: 1, arbitrary: firstStep },
	{ weight: 4, arbitrary: fc.record({ retry }) },
	{ weight: 2, arbitrary: fc.record({ edit }) },
);

function keysOf<T extends object>(object: T): Array<keyof T> {
	return Object.keys(object) as Array<keyof T>;
}

export type History = [start: { start: StartStep }, more: Step[], course: Course];

export const PLAIN: RunSettings = {
	onError: 'stopWorkflow',
	retryOnFail: false,
	concurrency: 1,
	resendUncertain: false,
	sendOnceId: 'off',
	loop: 'no',
	endings: [],
	...{ crashAt: undefined, stopAt: undefined },
	isFollowedByPause: false,
};

/** @param people each with the tag of the image if it is not 0, e.g. "0 3.1" */
export const startOf = (people: string, settings: Partial<RunSettings> = {}, isRetried = false) => {
	const items = people.split(' ').map((one) => {
		const [person, tag = 0] = one.split('.').map(Number);
		return { person, tag };
	});
	return { start: { items, settings: { ...PLAIN, ...settings }, atOnce: false, isRetried } };
};
export const retryOf = (
	execution: number,
	run: Partial<RunSettings> = {},
	more: Partial<Retry> = {},
) => {
	const plain = { workflow: 'original', atOnce: false, isRerun: false } as const;
	return { retry: { ...plain, execution, settings: { ...PLAIN, ...run }, ...more } };
};
export const endingOf = (name: string, isDelivered = false): Ending => ({
	fault: FAULTS.find((one) => one.name === name)!,
	isDelivered,
});

/** Nothing takes longer than 1 ms. */
const QUICK: Course = { order: 0, durations: [] };

export const historyOf = (
	first: History[0],
	more: Step[],
	course: Partial<Course> = {},
): History => [first, more, { ...QUICK, ...course }];
