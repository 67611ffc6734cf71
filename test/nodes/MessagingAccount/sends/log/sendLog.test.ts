import { randomUUID } from 'node:crypto';

import { stringify } from 'flatted';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Outcome } from '../../../../../nodes/MessagingAccount/sends/attempt';
import { createSend, type Send } from '../../../../../nodes/MessagingAccount/sends/send';
import { SendLog } from '../../../../../nodes/MessagingAccount/sends/log/sendLog';

const OUTCOMES: Record<string, Outcome> = {
	sent: { is: 'sent', id: 'm"1 2' },
	'sent as 7': { is: 'sent', id: 7 },
	'sent as null': { is: 'sent', id: null },
	unknown: { is: 'unknown', reason: 'HTTP 500' },
	refused: { is: 'notSent' },
	planned: { is: 'planned' },
	begun: { is: 'begun' },
};

/** A node's context, and the runs of the node in it. Tests in a real n8n show that n8n stores it. */
class Execution {
	context = {};
	/** Of the current run. */
	log!: SendLog;
	private readonly input: Array<{ json: IDataObject }> = [];

	constructor(private readonly type = 'messagingAccount') {}

	/** Begins a run: its index, or the execution's ID for a tool. */
	begin(run = '0', inputs: IDataObject[] = []): this {
		const items = Array.from({ length: 9 }, (_, i) => ({ json: inputs[i] ?? {} }));
		this.input.splice(0, Infinity, ...items);
		this.log = new SendLog({
			getMode: () => 'manual',
			getNode: () => ({ type: `n8n-nodes-messaging-account.${this.type}` }),
			getInputData: () => this.input,
			getContext: () => this.context,
			getWorkflowDataProxy: () => ({ $runIndex: Number(run) }),
			getExecutionId: () => run,
		} as unknown as IExecuteFunctions);
		return this;
	}

	/** Begins the retry of the execution, which n8n reads from its database. */
	retry(run = '0'): this {
		this.context = structuredClone(this.context);
		return this.begin(run);
	}

	/** Plans sends in the run, as one batch. @param items "recipient image caption #ID, …", e.g. "ada a Hi, bob b #7" */
	plan(items: string): Send[] {
		const sends = items.split(', ').map((item, i) => {
			const [text, id] = item.split(' #');
			const [recipient, url, caption = ''] = text.split(' ');
			const message = { accountKey: '', recipient, image: { url }, caption };
			return createSend(i, { message, resendUncertain: false, sendOnceId: id });
		});
		this.log.match(sends);
		return sends;
	}

	/** Plans sends and records their outcomes. @param attempts "item: outcome, …", e.g. "ada a Hi: sent, bob b: unknown" */
	run(attempts: string): this {
		const pairs = attempts.split(', ').map((attempt) => attempt.split(': '));
		for (const [i, send] of this.plan(pairs.map(([item]) => item).join(', ')).entries()) {
			const outcome = OUTCOMES[pairs[i][1]];
			if (outcome.is !== 'planned') this.log.settle(send, outcome);
		}
		return this;
	}

	/** Plans sends, and says what the run knows of each: what became of it, and whether its content has changed. */
	earlier(items: string): string {
		const known = this.plan(items).map((send) => {
			const isChanged = this.log.attemptOf(send).contentHash !== send.contentHash;
			const earlier = this.log.earlierOf(send);
			if (!earlier) return '-';
			const doubt = earlier.is === 'changed' && !earlier.isSent ? '?' : '';
			return (isChanged ? 'changed ' : '') + earlier.is + doubt;
		});
		return known.join(', ');
	}
}

const execution = () => new Execution().begin();

/** Rows of two lines: what holds, and "attempts in the first run | items of a later one | what that knows of each". */
const rowsOf = (table: string) =>
	[...table.matchAll(/(\S.*)\n\s*(.*?) +\| (.*?) +\| (.*)/g)].map(([, ...row]) => row);

const withOutcome = (name: string): [string, Outcome] => [name, OUTCOMES[name]];

test.each<[name: string, known: Outcome | undefined]>([
	...['sent', 'sent as 7', 'sent as null', 'unknown'].map(withOutcome),
	// While a request is made.
	['begun', { is: 'unknown', reason: 'it was interrupted' }],
	['refused', undefined],
	['planned', undefined],
])('an attempt that was "%s" is known as %j', (name, known) => {
	const later = execution().run(`ada a: ${name}`).begin();
	expect(later.log.earlierOf(later.plan('ada a')[0])).toEqual(known);
});

describe('in a retry, an item is the message that was tried', () => {
	const ROWS = rowsOf(`
	with the same image and caption, to the same recipient
		ada a: sent, ada b Ho: unknown    | bob a, ada a, ada b Ho       | -, sent, unknown
	of equal items, in their order
		ada a: unknown, ada a: sent       | ada a, ada a, ada a          | unknown, sent, -
	with the same ID, whatever was edited
		ada a #7: sent                    | ada b Ho #7                  | changed sent
	with another ID or none, if nothing else has its image and caption
		ada a #7: sent, bob a: sent       | ada a #8, bob a #9           | sent, sent
	not with the image and caption of another order
		ada a #7: sent                    | ada a #8, ada a #7           | -, sent
	not if it has another image or caption: it may be edited
		ada a Hi: sent, bob a Hi: sent    | ada b Hi, bob a Ho           | changed, changed
	not even if there are more than before
		ada a: sent                       | ada b, ada c                 | changed, changed
	nobody knows if the one before is unknown
		ada a: sent, ada b: unknown       | ada a, ada c                 | sent, changed?
	unless all that may have been sent is there
		ada a: sent, ada b: refused       | ada a, ada c, ada b          | sent, -, -
	not if the other one has an ID of its own, and so has the item
		ada a #7: sent, bob a #1: unknown | ada b #8, ada c, bob a #1    | -, changed, unknown
	but if no ID is known, their text may have been edited
		ada a #7: sent                    | ada b #8                     | changed`);

	test.each(ROWS)('%s', (_what, attempts, items, known) => {
		expect(execution().run(attempts).retry().earlier(items)).toBe(known);
	});

	test('once, also if more items come later', () => {
		const later = execution().run('ada a: sent').retry();
		expect([later.earlier('ada a'), later.earlier('ada a')]).toEqual(['sent', '-']);
	});
});

test('with Retry On Fail, n8n repeats the very same items: what is computed anew does not matter', () => {
	const later = execution().run('ada a: sent, bob a: refused, ada a: unknown').begin();
	expect(later.earlier('ada b, bob b, ada a')).toBe('changed sent, -, unknown');
});

test('with Retry On Fail, an item that could not be planned in the last try is known as in any retry', () => {
	const later = execution().run('ada a: sent, bob a: refused').retry();
	later.plan('bob a');
	expect(later.begin().earlier('bob a, ada a')).toBe('-, sent');
});

test('the images for a recipient are in one sequence, in all runs', () => {
	const later = execution().run('ada a: sent, bob a: sent, ada b: sent').begin('1');
	const sends = later.plan('ada a, bob a');
	expect(sends.map((one) => later.log.attemptOf(one).sequence)).toEqual([2, 1]);
});

describe('in a later run, e.g. of a loop', () => {
	const ROWS = rowsOf(`
	what was sent is sent again
		ada a: sent                          | ada a           | -
	what is unknown stays so, each time
		ada a: unknown                       | ada a, ada a    | unknown, unknown
	also with the same image only
		ada a Hi: unknown                    | ada a Ho        | changed unknown
	also with the same caption only
		ada a Hi: unknown                    | ada b Hi        | changed unknown
	something else goes out
		ada a Hi: unknown                    | ada b Ho, ada c | -, -
	also without captions
		ada a: unknown                       | ada b           | -
	what was refused goes out, though it has the image of one that is unknown
		ada a Hi: unknown, ada a Ho: refused | ada a Ho        | -`);

	test.each(ROWS)('%s', (_what, attempts, items, known) => {
		expect(execution().run(attempts).begin('1').earlier(items)).toBe(known);
	});

	test.each([
		['unknown', 'ada c He', 'changed unknown'],
		['notSent', 'ada a He', '-'],
		['of another node', 'ada c He', '-'],
	])('an item with the own error %s is that one: as %s, it is %s', (delivery, item, known) => {
		const first = execution().run('ada a Hi: unknown, ada b Ho: refused');
		expect(first.begin('1', [{ error: { message: 'm', delivery } }]).earlier(item)).toBe(known);
	});

	test.each(['text', null, undefined])('an input field "error" may be %j', (error) => {
		const later = execution().run('ada a Hi: unknown').begin('1', [{ error }]);
		expect(later.earlier('ada b Ho')).toBe('-');
	});
});

describe('an item that cannot be tried now', () => {
	const mayHaveSent = ({ log }: Execution, ...items: number[]) =>
		items.map((item) => log.mayHaveSent(item));

	test('may have been sent before, to another number', () => {
		const later = execution().run('ada a: unknown, bob a: sent, eve a: refused').begin();
		expect(mayHaveSent(later, 0, 1, 2, 3)).toEqual([true, true, false, false]);
		expect(mayHaveSent(execution(), 0)).toEqual([false]);
	});

	test('has not been sent if the attempt was that of another item', () => {
		const later = execution().run('ada a: sent').retry();
		later.plan('bob a, ada a');
		expect(mayHaveSent(later, 0)).toEqual([false]);
	});

	test.each(['0', '1'])('may have been sent if it is unknown: run %s', (run) => {
		const later = execution().run('bob a: refused, ada a: unknown').retry(run);
		later.plan('ada a, bob a');
		expect(mayHaveSent(later, 0, 1)).toEqual([true, false]);
	});

	test('does not depend on other runs', () =>
		expect(mayHaveSent(execution().run('ada a: sent').begin('1'), 0)).toEqual([false]));
});

describe('a tool', () => {
	const tool = () => new Execution('messagingAccountTool').begin('1');

	test('sends again after a success, but not in a retry of the execution', () => {
		const first = tool().run('ada a: sent');
		expect(first.begin('1').run('ada a: sent').earlier('ada a')).toBe('-');
		const calls = [1, 2].map(() => first.begin('2').earlier('ada a Hi'));
		expect(calls).toEqual(['unknown', 'unknown']);
		expect(first.begin('2').earlier('ada a')).toBe('sent');
	});

	test.each([
		['in another order', 'ada a Hi: sent, ada b Hi: refused', 'ada b Hi, ada a Hi'],
		['under another ID, which leaves the first as it was', 'ada a #7: sent', 'ada a #8, ada a #7'],
	])('in a retry, may make its calls %s', (_how, attempts, items) => {
		const first = tool().run(attempts);
		const calls = items.split(', ').map((item) => first.begin('2').earlier(item));
		expect(calls).toEqual(['unknown', 'sent']);
	});

	test.each([
		['ada a Ho', 'changed unknown'],
		['ada b Hi', 'changed unknown'],
		['ada b Ha', '-'],
	])('does not make a call again that is unknown: then, "%s" is %s', (item, known) => {
		expect(tool().run('ada a Hi: unknown').begin('1').earlier(item)).toBe(known);
	});

	test('numbers calls at the same time differently', () => {
		const first = tool();
		const [send] = first.plan('ada a');
		first.begin('1').plan('ada a');
		const attempts = first.log.stored.attemptsAt(send.recipientHash);
		expect(attempts.map(({ sequence }) => sequence)).toEqual([0, 1]);
	});

	test('may have sent something if any call is unknown', () => {
		expect(tool().log.hasUnknownCall()).toBe(false);
		expect(tool().run('ada a: sent').log.hasUnknownCall()).toBe(false);
		expect(tool().run('ada a: unknown').log.hasUnknownCall()).toBe(true);
		expect(execution().run('ada a: unknown').log.hasUnknownCall()).toBe(false);
	});
});

test('10,000 items take less than 1.1 MB of what n8n stores', () => {
	const list = execution();
	for (let i = 0; i < 10_000; i++) {
		const [send] = list.plan(`${49151000000 + i} a Hi`);
		list.log.settle(send, { is: 'sent', id: randomUUID() });
	}
	expect(stringify(list.context).length).toBeLessThan(1_100_000);
});
