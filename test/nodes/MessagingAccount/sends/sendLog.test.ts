import { randomUUID } from 'node:crypto';

import { stringify } from 'flatted';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Outcome } from '../../../../nodes/MessagingAccount/sends/outcome';
import {
	listSentKeys,
	SendLog,
	type SendLogEntry,
} from '../../../../nodes/MessagingAccount/sends/sendLog';

const REQUEST = { number: '4915100', url: 'https://example.com/a.png', caption: 'Hi' };
const CLOCK = '={{ $now }}';
const SENT: Outcome = { id: 'm"1' };
const UNKNOWN: Outcome = { unknownReason: 'HTTP 500' };

/** Creates a log with the part of n8n that it uses. Tests in a real n8n show that n8n stores it. */
function createLog(
	context: object,
	{
		round = 0,
		caption = 'Hi',
		input = { name: 'Ada' } as IDataObject,
		tool = false,
		executionId = '1',
	} = {},
): SendLog {
	return new SendLog({
		getNode: () => ({
			type: `n8n-nodes-messaging-account.messagingAccount${tool ? 'Tool' : ''}`,
			// n8n adds the default of a parameter that came later.
			parameters: { imageSource: 'url', caption, options: {} },
		}),
		getNodeParameter: () => REQUEST.number,
		getInputData: () => Array.from({ length: 5 }, () => ({ json: input })),
		getContext: () => context,
		getWorkflowDataProxy: () => ({ $runIndex: round }),
		getExecutionId: () => executionId,
	} as unknown as IExecuteFunctions);
}

function record(entry: SendLogEntry, outcome?: Outcome): void {
	entry.begin();
	if (outcome) entry.end(outcome);
	else entry.notSent();
}

/** What a later run knows of an item. */
const previousOf = (
	context: object,
	request = REQUEST,
	settings: Parameters<typeof createLog>[1] = {},
) => createLog(context, settings).entryFor(0, request).previous;

test('an item is not known, then uncertain, then sent', () => {
	const context = {};
	const entry = createLog(context).entryFor(0, REQUEST);
	expect(previousOf(context)).toBeUndefined();
	entry.begin();
	expect(previousOf(context)).toEqual({ unknownReason: 'it was interrupted' });
	entry.end(UNKNOWN);
	expect(previousOf(context)).toEqual(UNKNOWN);
	entry.end(SENT);
	expect(previousOf(context)).toEqual(SENT);
});

test('an item that was not sent leaves no trace', () => {
	const context = {};
	record(createLog(context).entryFor(0, REQUEST));
	expect(context).toEqual({ sendLog: { runs: 1, attempts: {} } });
});

test('of equal sends, each from the second on adds a number to the key, which stored executions have', () => {
	const log = createLog({});
	const [[first], [second], [third]] = [0, 1, 2].map((item) => log.entryFor(item, REQUEST).keys);
	expect([second, third]).toEqual([`${first}.1`, `${first}.2`]);
});

test('an item is started until it has failed for certain', () => {
	const entry = createLog({}).entryFor(0, REQUEST);
	expect(entry.isStarted).toBe(false);
	entry.begin();
	expect(entry.isStarted).toBe(true);
	entry.notSent();
	expect(entry.isStarted).toBe(false);
});

describe('an item whose caption was edited', () => {
	const edited = { ...REQUEST, caption: 'Ho' };

	test('is another send, and keeps the attempts before', () => {
		const context = {};
		record(createLog(context).entryFor(0, REQUEST), UNKNOWN);
		expect(previousOf(context, edited)).toBeUndefined();
		record(createLog(context).entryFor(0, edited));
		expect(previousOf(context)).toEqual(UNKNOWN);
		record(createLog(context).entryFor(0, edited), SENT);
		expect(previousOf(context)).toEqual(UNKNOWN);
		expect(previousOf(context, edited)).toEqual(SENT);
	});

	test('may have sent something before', () => {
		const context = {};
		expect(createLog(context).mayHaveSent(0)).toBe(false);
		record(createLog(context).entryFor(0, REQUEST), UNKNOWN);
		expect(createLog(context).mayHaveSent(0)).toBe(true);
		expect(createLog(context).mayHaveSent(1)).toBe(false);
		expect(createLog(context, { round: 1 }).mayHaveSent(0)).toBe(false);
	});
});

test('an item that only has its ID reserved has sent nothing', () => {
	const context = {};
	record(createLog(context).entryFor(0, REQUEST), { idReserved: true });
	expect(createLog(context).mayHaveSent(0)).toBe(false);
	expect(previousOf(context)).toEqual({ idReserved: true });
});

test('of several attempts at the same send, the successful one counts', () => {
	for (const outcomes of [
		[SENT, UNKNOWN],
		[UNKNOWN, SENT],
	]) {
		const context = {};
		const captions = ['08:00', '08:01'];
		captions.forEach((caption, i) => {
			const log = createLog(context, { caption: i === 0 ? CLOCK : caption });
			record(log.entryFor(0, { ...REQUEST, caption }), outcomes[i]);
		});
		// By its expression it is the first, by its value the second.
		const later = { ...REQUEST, caption: '08:01' };
		expect(previousOf(context, later, { caption: CLOCK })).toEqual(SENT);
		// From then on, both are one.
		createLog(context, { caption: CLOCK }).entryFor(0, later).end(SENT);
		expect(previousOf(context, { ...REQUEST, caption: '09:00' }, { caption: CLOCK })).toEqual(SENT);
		expect(previousOf(context, later)).toEqual(SENT);
	}
});

test('an item is found again by what it is, wherever it is in the list', () => {
	const context = {};
	record(createLog(context).entryFor(3, REQUEST), SENT);
	expect(previousOf(context)).toEqual(SENT);
});

test('of equal items, as many are found as there were', () => {
	const context = {};
	const log = createLog(context);
	record(log.entryFor(0, REQUEST), SENT);
	record(log.entryFor(1, REQUEST), { id: 'm2' });
	const later = createLog(context);
	const previous = [0, 1, 2].map((i) => later.entryFor(i, REQUEST).previous);
	expect(previous).toEqual([SENT, { id: 'm2' }, undefined]);
});

test('an equal item that was not tried is not uncertain', () => {
	const context = {};
	record(createLog(context).entryFor(0, REQUEST), UNKNOWN);
	const later = createLog(context);
	expect([0, 1].map((i) => later.entryFor(i, REQUEST).previous)).toEqual([UNKNOWN, undefined]);
});

describe('in a later round of a loop', () => {
	test('an item that was sent is sent again', () => {
		const context = {};
		record(createLog(context).entryFor(0, REQUEST), SENT);
		expect(previousOf(context, REQUEST, { round: 1 })).toBeUndefined();
		expect(previousOf(context)).toEqual(SENT);
	});

	test('an uncertain item stays uncertain, each time it comes', () => {
		const context = {};
		record(createLog(context).entryFor(0, REQUEST), UNKNOWN);
		const log = createLog(context, { round: 1 });
		expect([0, 1].map((i) => log.entryFor(i, REQUEST).previous)).toEqual([UNKNOWN, UNKNOWN]);
	});

	test('equal items stay uncertain, although one of them was sent', () => {
		const context = {};
		const log = createLog(context);
		record(log.entryFor(0, REQUEST), SENT);
		record(log.entryFor(1, REQUEST), UNKNOWN);
		const later = createLog(context, { round: 1 });
		expect([0, 1].map((i) => later.entryFor(i, REQUEST).previous)).toEqual([UNKNOWN, UNKNOWN]);
	});

	test('an uncertain item may have sent something, in whatever way it fails now', () => {
		const context = {};
		record(createLog(context).entryFor(0, REQUEST), UNKNOWN);
		const later = createLog(context, { round: 1 });
		later.entryFor(1, { ...REQUEST, caption: 'Ho' });
		later.entryFor(0, REQUEST);
		expect([0, 1].map((i) => later.mayHaveSent(i))).toEqual([true, false]);
	});

	test('its input counts as the same, although n8n has added the error', () => {
		const context = {};
		const request = { ...REQUEST, caption: '08:00' };
		record(createLog(context, { caption: CLOCK }).entryFor(0, request), UNKNOWN);
		const input = { name: 'Ada', error: { message: 'm', delivery: 'unknown' } };
		const later = { ...REQUEST, caption: '08:01' };
		expect(previousOf(context, later, { round: 1, caption: CLOCK, input })).toEqual(UNKNOWN);
	});

	test.each(['text', null, { message: 'of the user' }])(
		'a field "error" of the user with %j is part of the input',
		(error) => {
			const context = {};
			record(createLog(context, { caption: CLOCK }).entryFor(0, REQUEST), UNKNOWN);
			const input = { name: 'Ada', error };
			const later = { ...REQUEST, caption: '08:01' };
			const settings = { round: 1, caption: CLOCK, input };
			expect(previousOf(context, later, settings)).toBeUndefined();
		},
	);
});

describe('a tool', () => {
	const tool = { tool: true };

	test('sends again after a success, but not in a retry of the execution', () => {
		const context = {};
		record(createLog(context, tool).entryFor(0, REQUEST), SENT);
		record(createLog(context, { ...tool, round: 1 }).entryFor(0, REQUEST), { id: 'm2' });
		const retry = { ...tool, executionId: '2' };
		const previous = [1, 2, 3].map(() => previousOf(context, REQUEST, retry));
		expect(previous).toEqual([SENT, { id: 'm2' }, undefined]);
	});

	test('never sends again what is uncertain, in whatever round and however it is entered', () => {
		const context = {};
		record(createLog(context, tool).entryFor(0, REQUEST), UNKNOWN);
		const reworded = { ...tool, round: 2, caption: CLOCK, input: { toolCallId: 'b' } };
		expect(previousOf(context, REQUEST, reworded)).toEqual(UNKNOWN);
		expect(previousOf(context, { ...REQUEST, caption: 'Ho' }, reworded)).toBeUndefined();
	});

	test('may have sent something only if a call is uncertain', () => {
		const context = {};
		record(createLog(context, tool).entryFor(0, REQUEST), SENT);
		expect(createLog(context, tool).hasUnknownCall()).toBe(false);
		record(createLog(context, tool).entryFor(0, REQUEST), UNKNOWN);
		expect(createLog(context, tool).hasUnknownCall()).toBe(true);
		expect(createLog(context, tool).mayHaveSent(0)).toBe(false);
		expect(createLog(context).hasUnknownCall()).toBe(false);
	});
});

test('lists the keys of the attempts of a round that were successful', () => {
	const context = {};
	const log = createLog(context, { round: 2 });
	const [sent, uncertain, interrupted] = [0, 1, 2].map((i) => log.entryFor(i, REQUEST));
	record(sent, SENT);
	record(uncertain, UNKNOWN);
	interrupted.begin();
	expect(listSentKeys(log.stored, 2)).toEqual(sent.keys);
	expect(listSentKeys(log.stored, 1)).toEqual([]);
});

test('10,000 items take less than 1.2 MB of what n8n stores', () => {
	const context = {};
	const log = createLog(context);
	for (let i = 0; i < 10_000; i++) {
		const entry = log.entryFor(0, { ...REQUEST, number: String(49151000000 + i) });
		record(entry, { id: randomUUID() });
	}
	expect(stringify(context).length).toBeLessThan(1_200_000);
});
