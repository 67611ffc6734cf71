import { randomUUID } from 'node:crypto';

import { stringify } from 'flatted';
import type { IExecuteFunctions } from 'n8n-workflow';

import { SendLog } from '../../../../nodes/MessagingAccount/sends/sendLog';

const REQUEST = { number: '49151', url: 'https://example.com/a.png', caption: 'Hi' };

const INPUTS = Array.from({ length: 10_000 }, (_, i) => ({ json: { number: `4915${i}` } }));

/** Creates a log with the part of n8n that it uses. Tests in a real n8n show that n8n stores it. */
function createLog(
	context: object,
	{ $runIndex = 0, caption = 'Hi', inputs = INPUTS } = {},
): SendLog {
	return new SendLog({
		getNode: () => ({
			type: 'n8n-nodes-messaging-account.messagingAccount',
			parameters: { caption, options: {} },
		}),
		getInputData: () => inputs,
		getContext: () => context,
		getWorkflowDataProxy: () => ({ $runIndex }),
	} as unknown as IExecuteFunctions);
}

test('an item is unknown, then uncertain, then sent', () => {
	const context = {};
	const previous = () => createLog(context).entryFor(3, REQUEST).previous;
	expect(previous()).toBeUndefined();
	createLog(context).entryFor(3, REQUEST).begin();
	expect(previous()).toEqual({ unknownReason: 'it was interrupted' });
	createLog(context).entryFor(3, REQUEST).unknown('HTTP 500');
	expect(previous()).toEqual({ unknownReason: 'HTTP 500' });
	createLog(context).entryFor(3, REQUEST).sent('m"1');
	expect(previous()).toEqual({ id: 'm"1' });
});

test('an item that was not sent is unknown', () => {
	const context = {};
	const entry = createLog(context).entryFor(3, REQUEST);
	entry.begin();
	entry.notSent();
	expect(createLog(context).entryFor(3, REQUEST).previous).toBeUndefined();
});

test('an item with a different request and a changed parameter is another send', () => {
	const context = {};
	createLog(context).entryFor(0, REQUEST).sent('m1');
	for (const change of [{ number: '1' }, { url: 'https://example.com/b.png' }, { caption: 'Ho' }]) {
		const changed = createLog(context, { caption: 'Ho' });
		expect(changed.entryFor(0, { ...REQUEST, ...change }).previous).toBeUndefined();
	}
});

test('an item with a different request and a changed input is another send', () => {
	const context = {};
	createLog(context).entryFor(0, REQUEST).sent('m1');
	const changed = createLog(context, { inputs: [{ json: { number: '1' } }] });
	expect(changed.entryFor(0, { ...REQUEST, number: '1' }).previous).toBeUndefined();
});

test('an unchanged item is the same send, whatever its expressions return this time', () => {
	const context = {};
	createLog(context).entryFor(0, REQUEST).sent('m1');
	const later = createLog(context).entryFor(0, { ...REQUEST, caption: 'Sent at 08:01' });
	expect(later.previous).toEqual({ id: 'm1' });
});

test('an item with the same request is the same send, even if its parameters were changed', () => {
	const context = {};
	createLog(context).entryFor(0, REQUEST).sent('m1');
	const entered = createLog(context, { caption: '={{ "Hi" }}' });
	expect(entered.entryFor(0, REQUEST).previous).toEqual({ id: 'm1' });
});

test('an item whose expression returns a different number is another send', () => {
	const context = {};
	createLog(context).entryFor(0, REQUEST).sent('m1');
	const later = createLog(context).entryFor(0, { ...REQUEST, number: '49152' });
	expect(later.previous).toBeUndefined();
});

test('items and rounds of a loop are separate', () => {
	const context = {};
	createLog(context, { $runIndex: 1 }).entryFor(0, REQUEST).sent('m1');
	expect(createLog(context, { $runIndex: 1 }).entryFor(1, REQUEST).previous).toBeUndefined();
	expect(createLog(context, { $runIndex: 1 }).entryFor(0, REQUEST).previous).toEqual({ id: 'm1' });
	expect(createLog(context, { $runIndex: 2 }).entryFor(0, REQUEST).previous).toBeUndefined();
});

test('10,000 items take less than 1 MB of what n8n stores', () => {
	const context = {};
	const log = createLog(context);
	for (let i = 0; i < 10_000; i++) {
		log.entryFor(i, { ...REQUEST, number: String(49151000000 + i) }).sent(randomUUID());
	}
	expect(stringify(context).length).toBeLessThan(1_000_000);
});
