import { randomUUID } from 'node:crypto';

import { stringify } from 'flatted';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Outcome, Send } from '../../../../nodes/MessagingAccount/sends/attempt';
import { SendLog } from '../../../../nodes/MessagingAccount/sends/sendLog';

const SENT: Outcome = { is: 'sent', id: 'm"1 2' };
const UNKNOWN: Outcome = { is: 'unknown', reason: 'HTTP 500' };
const REFUSED: Outcome = { is: 'notSent' };

/** Written as "recipient image caption", e.g. "ada a.png Hi". */
type Item = string;

/** A node's context, and the runs of the node in it. Tests in a real n8n show that n8n stores it. */
class Execution {
	private context = {};

	private log!: SendLog;

	private readonly input: Array<{ json: IDataObject }> = [];

	constructor(private readonly type = 'messagingAccount') {}

	/** Begins a run: its index, or the execution's ID for a tool. */
	begin(run = '0', inputs: IDataObject[] = []): this {
		this.input.splice(
			0,
			Infinity,
			...Array.from({ length: 9 }, (_, i) => ({ json: inputs[i] ?? {} })),
		);
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

	/** Plans sends in the run, as one batch. */
	plan(...items: Item[]): Send[] {
		const sends = items.map((item, i) => {
			const [recipient, url, caption = ''] = item.split(' ');
			return this.log.create(i, { recipient, image: { url }, caption }, false);
		});
		this.log.match(sends);
		return sends;
	}

	/** Plans sends and records their outcomes. */
	run(items: Record<Item, Outcome> | Array<[Item, Outcome]>): this {
		const entries = Array.isArray(items) ? items : Object.entries(items);
		const sends = this.plan(...entries.map(([item]) => item));
		sends.forEach((send, i) => this.log.store(send, entries[i][1]));
		return this;
	}

	/** What the run knows of each item: what became of it, and whether its content has changed. */
	earlier(...items: Item[]): Array<string | undefined> {
		return this.plan(...items).map((send) => {
			const { content } = this.log.attemptsAt(send.recipient)[send.sequence];
			const change = content === send.content ? '' : 'changed, ';
			return send.earlierOutcome && change + send.earlierOutcome.is;
		});
	}

	mayHaveSent(itemIndex: number): boolean {
		return this.log.mayHaveSent(itemIndex);
	}

	hasUnknownCall(): boolean {
		return this.log.hasUnknownCall();
	}

	get stored(): object {
		return this.context;
	}
}

const execution = () => new Execution().begin();

describe('the outcome of an attempt is stored', () => {
	test.each<Outcome>([SENT, { is: 'sent', id: 7 }, { is: 'sent', id: null }, UNKNOWN])(
		'%j',
		(outcome) => {
			const later = execution().run({ 'ada a.png': outcome }).begin();
			expect(later.plan('ada a.png')[0].earlierOutcome).toEqual(outcome);
		},
	);

	test('while a request is made, it is unknown', () => {
		const later = execution()
			.run({ 'ada a.png': { is: 'begun' } })
			.begin();
		const reason = 'it was interrupted';
		expect(later.plan('ada a.png')[0].earlierOutcome).toEqual({ is: 'unknown', reason });
	});

	test.each<Outcome>([REFUSED, { is: 'planned' }])('%j counts as not tried', (outcome) => {
		expect(execution().run({ 'ada a.png': outcome }).begin().earlier('ada a.png')).toEqual([
			undefined,
		]);
	});
});

describe('when a run is repeated, the items of a recipient are matched with its attempts', () => {
	test.each<[string, Array<[Item, Outcome]>, Item[], Array<string | undefined>]>([
		['by the recipient', [['ada a.png', SENT]], ['bob a.png', 'ada a.png'], [undefined, 'sent']],
		['whatever was changed', [['ada a.png Hi', SENT]], ['ada b.png Ho'], ['changed, sent']],
		[
			'by equal content first',
			[
				['ada a.png Hi', SENT],
				['ada b.png Hi', UNKNOWN],
			],
			['ada c.png Hi', 'ada b.png Hi', 'ada a.png Hi'],
			[undefined, 'unknown', 'sent'],
		],
		[
			'then by the image',
			[
				['ada a.png Hi', SENT],
				['ada b.png Ho', UNKNOWN],
			],
			['ada b.png Hi', 'ada c.png He'],
			['changed, unknown', 'changed, sent'],
		],
		[
			'then by the caption',
			[
				['ada a.png Hi', SENT],
				['ada b.png Ho', UNKNOWN],
			],
			['ada c.png Ho', 'ada d.png Hi'],
			['changed, unknown', 'changed, sent'],
		],
		[
			'not by two captions that are empty',
			[
				['ada a.png', SENT],
				['ada b.png Ho', UNKNOWN],
			],
			['ada c.png Hi', 'ada d.png'],
			['changed, sent', 'changed, unknown'],
		],
		[
			'then by their sequence: what was refused goes out',
			[
				['ada a.png', REFUSED],
				['ada b.png', SENT],
			],
			['ada c.png', 'ada d.png'],
			[undefined, 'changed, sent'],
		],
		[
			'of equal items, in their order',
			[
				['ada a.png', UNKNOWN],
				['ada a.png', SENT],
			],
			['ada a.png', 'ada a.png', 'ada a.png'],
			['unknown', 'sent', undefined],
		],
	])('%s', (_what, attempts, items, earlier) => {
		expect(
			execution()
				.run(attempts)
				.begin()
				.earlier(...items),
		).toEqual(earlier);
	});

	test('once, also if more items come later', () => {
		const later = execution().run({ 'ada a.png': SENT }).begin();
		expect([later.earlier('ada a.png'), later.earlier('ada a.png')]).toEqual([
			['sent'],
			[undefined],
		]);
	});
});

test('the images for a recipient are in one sequence, in all runs', () => {
	const first = execution().run([
		['ada a.png', SENT],
		['bob a.png', SENT],
		['ada b.png', SENT],
	]);
	expect(
		first
			.begin('1')
			.plan('ada a.png', 'bob a.png')
			.map(({ sequence }) => sequence),
	).toEqual([2, 1]);
});

describe('in a later run, e.g. of a loop', () => {
	test.each<[string, Array<[Item, Outcome]>, Item[], Array<string | undefined>]>([
		['what was sent is sent again', [['ada a.png', SENT]], ['ada a.png'], [undefined]],
		[
			'what is unknown stays so, each time',
			[['ada a.png', UNKNOWN]],
			['ada a.png', 'ada a.png'],
			['unknown', 'unknown'],
		],
		[
			'also with the same image only',
			[['ada a.png Hi', UNKNOWN]],
			['ada a.png Ho'],
			['changed, unknown'],
		],
		[
			'also with the same caption only',
			[['ada a.png Hi', UNKNOWN]],
			['ada b.png Hi'],
			['changed, unknown'],
		],
		[
			'something else goes out',
			[['ada a.png Hi', UNKNOWN]],
			['ada b.png Ho', 'ada c.png'],
			[undefined, undefined],
		],
		['also without captions', [['ada a.png', UNKNOWN]], ['ada b.png'], [undefined]],
		[
			'what was refused goes out, though it has the image of one that is unknown',
			[
				['ada a.png Hi', UNKNOWN],
				['ada a.png Ho', REFUSED],
			],
			['ada a.png Ho'],
			[undefined],
		],
	])('%s', (_what, attempts, items, earlier) => {
		const later = execution().run(attempts).begin('1');
		expect(later.earlier(...items)).toEqual(earlier);
	});

	test.each([
		['unknown', ['changed, unknown']],
		['notSent', [undefined]],
		['of another node', [undefined]],
	])(
		'an item with the own error %s is that one, whatever else has changed',
		(delivery, earlier) => {
			const inputs = [{ error: { message: 'm', delivery } }];
			const first = execution().run([
				['ada a.png Hi', UNKNOWN],
				['ada b.png Ho', REFUSED],
			]);
			expect(first.begin('1', inputs).earlier('ada c.png He')).toEqual(earlier);
		},
	);

	test.each(['text', null, undefined])(
		'an input field "error" with %j is no own error',
		(error) => {
			const first = execution().run({ 'ada a.png Hi': UNKNOWN });
			expect(first.begin('1', [{ error }]).earlier('ada b.png Ho')).toEqual([undefined]);
		},
	);
});

describe('an item that cannot be tried now', () => {
	test('may have been sent before, to another number', () => {
		const later = execution()
			.run([
				['ada a.png', UNKNOWN],
				['bob a.png', SENT],
				['eve a.png', REFUSED],
			])
			.begin();
		expect([0, 1, 2, 3].map((i) => later.mayHaveSent(i))).toEqual([true, true, false, false]);
		expect(execution().mayHaveSent(0)).toBe(false);
	});

	test('has not been sent if the attempt was that of another item', () => {
		const later = execution()
			.run([['ada a.png', SENT]])
			.begin();
		later.earlier('bob a.png', 'ada a.png');
		expect(later.mayHaveSent(0)).toBe(false);
	});

	test('may have been sent if it is unknown, also since an earlier run', () => {
		for (const run of ['0', '1']) {
			const later = execution().run({ 'bob a.png': REFUSED, 'ada a.png': UNKNOWN }).begin(run);
			later.earlier('ada a.png', 'bob a.png');
			expect([0, 1].map((i) => later.mayHaveSent(i))).toEqual([true, false]);
		}
	});

	test('does not depend on other runs', () => {
		expect(execution().run({ 'ada a.png': SENT }).begin('1').mayHaveSent(0)).toBe(false);
	});
});

describe('a tool', () => {
	const tool = () => new Execution('messagingAccountTool').begin('execution-1');

	test('sends again after a success, but not in a retry of the execution', () => {
		const first = tool().run({ 'ada a.png': SENT });
		expect(first.begin('execution-1').run({ 'ada a.png': SENT }).earlier('ada a.png')).toEqual([
			undefined,
		]);
		const calls = [1, 2].map(() => first.begin('execution-2').earlier('ada a.png Hi'));
		expect(calls).toEqual([['changed, sent'], ['changed, sent']]);
	});

	test('may make its calls in another order in a retry', () => {
		const first = tool().run([
			['ada a.png Hi', SENT],
			['ada b.png Hi', REFUSED],
		]);
		const call = (item: Item) => first.begin('execution-2').earlier(item)[0];
		expect(['ada b.png Hi', 'ada a.png Hi'].map(call)).toEqual(['unknown', 'sent']);
	});

	test('does not make a call again that is unknown', () => {
		const first = tool().run({ 'ada a.png Hi': UNKNOWN });
		expect(first.begin('execution-1').earlier('ada a.png Ho')).toEqual(['changed, unknown']);
		expect(first.begin('execution-1').earlier('ada b.png Ha')).toEqual([undefined]);
	});

	test('numbers calls at the same time differently', () => {
		const first = tool();
		const [one] = first.plan('ada a.png');
		const [other] = first.begin('execution-1').plan('ada a.png');
		expect([one.sequence, other.sequence]).toEqual([0, 1]);
	});

	test('may have sent something if any call is unknown', () => {
		expect(tool().run({ 'ada a.png': SENT }).hasUnknownCall()).toBe(false);
		expect(tool().run({ 'ada a.png': UNKNOWN }).hasUnknownCall()).toBe(true);
		expect(execution().run({ 'ada a.png': UNKNOWN }).hasUnknownCall()).toBe(false);
	});
});

test('10,000 items take less than 1.1 MB of what n8n stores', () => {
	const list = execution();
	for (let i = 0; i < 10_000; i++)
		list.run({ [`${49151000000 + i} a.png Hi`]: { is: 'sent', id: randomUUID() } });
	expect(stringify(list.stored).length).toBeLessThan(1_100_000);
});
