import { caseCount } from '../../../support/testSize';
import fc from '../../../support/fastCheck';
import { courses } from '../../../support/simulation';
import { describeWithResumeToken } from '../../../support/skipByFeature';
import { agentExecutions, playAgent } from './model/agent';
import {
	endingOf,
	firstStep,
	type History,
	historyOf,
	retryOf,
	startOf,
	steps,
} from './model/drawing';
import { TIMEOUT_MS } from './model/workflow';
import { World } from './model/world';

const HISTORY_COUNT = caseCount(2000, 0.1);
const AGENT_HISTORY_COUNT = caseCount(500, 0.12);

jest.setTimeout(TIMEOUT_MS);

const REDIRECTED = endingOf('HTTP 301, to another origin');
const CUT = endingOf('two different content lengths');
const UNSUCCESSFUL = endingOf('success: false, with the field or not', true);

/** What nights and slow machines have found, and few runs would find again. */
const FOUND_BEFORE: History[] = [
	historyOf(
		startOf('0', { sendOnceId: 'order' }),
		[
			startOf('0 0 0 1 1 0', { endings: [REDIRECTED] }),
			retryOf(0, { sendOnceId: 'order', endings: [CUT] }, { atOnce: true }),
		],
		{ durations: [0, 0, 0, 800] },
	),
	// The retry of an execution that still ran reached the node after its end.
	historyOf(startOf('0', {}, true), [], { order: 485498650, durations: [800] }),
	// What was sent was a row that has another number now. The other one of its recipient had been skipped.
	historyOf(startOf('3.1 0 3', { endings: [{ isDelivered: true }, REDIRECTED] }), [
		retryOf(0, { endings: [REDIRECTED] }),
		retryOf(0, { sendOnceId: 'shared' }),
		{ edit: { mended: { item: 0, person: 0 } } },
		retryOf(1, {}, { workflow: 'current' }),
	]),
	// In the second round of a loop, nothing tells that an item whose image and caption were edited is one that is unknown.
	historyOf(startOf('0', { loop: 'all', endings: [UNSUCCESSFUL] }), [
		{ edit: { url: 'signed', caption: 'field' } },
		retryOf(0, { onError: 'continueErrorOutput' }, { workflow: 'current' }),
	]),
	// The items of a retry were edited: if n8n runs the node again, what their earlier versions got is not theirs.
	historyOf(startOf('0 0', { endings: [{ isDelivered: true }, CUT] }), [
		{ edit: { caption: 'none' } },
		retryOf(
			0,
			{ resendUncertain: true, retryOnFail: true, endings: [REDIRECTED] },
			{ workflow: 'current' },
		),
	]),
	// Of two retries at once, one skipped what the other then left to it: nothing was sent, so a later one sends it.
	historyOf(
		startOf('0', { crashAt: 0 }),
		[retryOf(0, { sendOnceId: 'shared' }, { atOnce: true }), retryOf(0, { sendOnceId: 'shared' })],
		{ order: 30385838 },
	),
	// A retry with another text of the IDs and another address: neither tells that the item is the one that is unknown.
	historyOf(startOf('0', { sendOnceId: 'shared', endings: [{ ...CUT, isDelivered: true }] }), [
		{ edit: { url: 'signed' } },
		retryOf(0, { sendOnceId: 'order' }, { workflow: 'current' }),
	]),
	// What counts as changed in one round of a loop must not be sent in the next one.
	historyOf(startOf('0 0', { loop: 'all', endings: [{ isDelivered: true }, REDIRECTED] }), [
		{ edit: { url: 'signed' } },
		{ edit: { url: 'plain', note: 1, caption: 'other' } },
		retryOf(0, {}, { workflow: 'current' }),
	]),
	// n8n ran a crashed execution again after its retry: what this told as unknown was not under IDs that were used up.
	historyOf(startOf('0.1 0', { crashAt: 0, sendOnceId: 'order' }), [
		retryOf(0, { sendOnceId: 'shared' }),
		retryOf(0, { onError: 'continueRegularOutput' }, { isRerun: true }),
		startOf('0', { sendOnceId: 'order' }),
	]),
	// The same, but its recipient had another message meanwhile: what was told as changed kept no ID, either.
	historyOf(startOf('0', { crashAt: 0, sendOnceId: 'order' }), [
		{ edit: { caption: 'other' } },
		retryOf(0, {}, { workflow: 'current' }),
		retryOf(0, { onError: 'continueRegularOutput' }, { isRerun: true }),
		startOf('0', { sendOnceId: 'order' }),
	]),
	// What counts as changed uses up its ID, and is skipped in the next round of a loop.
	historyOf(startOf('0 0', { loop: 'all', endings: [{ isDelivered: true }, REDIRECTED] }), [
		{ edit: { url: 'signed' } },
		retryOf(0, { sendOnceId: 'order' }, { workflow: 'current' }),
	]),
	// Each of three executions sends one round of a loop, and tells the one before as changed.
	historyOf(startOf('0 1', { loop: 'all', endings: [{ isDelivered: true }, CUT] }), [
		{ edit: { url: 'signed' } },
		retryOf(0, {}, { workflow: 'current' }),
		retryOf(1),
	]),
	// What one account has sent, another one must not send in a retry.
	historyOf(startOf('0 1', { endings: [{ isDelivered: true }, CUT] }), [
		{ edit: { account: 'own' } },
		retryOf(0, {}, { workflow: 'current' }),
	]),
	// A retry crashed between its number and the rest of its keys: then a new node in its place sent, and the first node again.
	historyOf(startOf('0', { crashAt: 0 }), [
		retryOf(0, { crashAt: 3 }),
		{ edit: { isReplaced: true } },
		retryOf(0, {}, { workflow: 'current' }),
		retryOf(0),
	]),
];

/** If an invariant does not hold, tells the story that led to it. */
async function tell(play: (story: string[]) => Promise<void>): Promise<void> {
	const story: string[] = [];
	try {
		await play(story);
	} catch (error) {
		throw new Error(`${(error as Error).message}\n\n${story.join('\n')}\n`);
	}
}

describeWithResumeToken('in drawn histories', () => {
	test(`nobody gets an image twice, and every report is true: ${HISTORY_COUNT} times`, async () => {
		const more = fc.array(steps, { maxLength: 7 });
		const property = fc.asyncProperty(firstStep, more, courses, async (first, others, course) => {
			await tell(async (story) => {
				const world = new World(story, course);
				for (const step of [first, ...others]) await world.play(step);
			});
		});
		await fc.assert(property, { numRuns: HISTORY_COUNT, examples: FOUND_BEFORE });
	});

	test(`an agent sends nothing twice that it has not asked for twice: ${AGENT_HISTORY_COUNT} times`, async () => {
		const property = fc.asyncProperty(agentExecutions, courses, async (executions, course) => {
			await tell(async (story) => await playAgent(executions, course, story));
		});
		await fc.assert(property, { numRuns: AGENT_HISTORY_COUNT });
	});
});
