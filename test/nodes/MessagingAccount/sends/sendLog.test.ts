import { randomUUID } from 'node:crypto';

import { stringify } from 'flatted';
import type { IExecuteFunctions } from 'n8n-workflow';

import { SendLog } from '../../../../nodes/MessagingAccount/sends/sendLog';

const REQUEST = { number: '49151', url: 'https://example.com/a.png', caption: 'Hi' };

const INPUTS = Array.from({ length: 10_000 }, (_, i) => ({ json: { number: `4915${i}` } }));

/** As much of n8n as the memory asks for; that n8n keeps it is shown in a real one. */
function memoryIn(
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

test('an item is not known, then uncertain, then sent', () => {
	const context = {};
	const earlier = () => memoryIn(context).entryFor(3, REQUEST).previous;
	expect(earlier()).toBeUndefined();
	memoryIn(context).entryFor(3, REQUEST).begin();
	expect(earlier()).toEqual({ unknownReason: 'it was interrupted' });
	memoryIn(context).entryFor(3, REQUEST).unknown('HTTP 500');
	expect(earlier()).toEqual({ unknownReason: 'HTTP 500' });
	memoryIn(context).entryFor(3, REQUEST).sent('m"1');
	expect(earlier()).toEqual({ id: 'm"1' });
});

test('an item that was not sent is not known', () => {
	const context = {};
	const record = memoryIn(context).entryFor(3, REQUEST);
	record.begin();
	record.notSent();
	expect(memoryIn(context).entryFor(3, REQUEST).previous).toBeUndefined();
});

test('an item with another request and another parameter is another send', () => {
	const context = {};
	memoryIn(context).entryFor(0, REQUEST).sent('m1');
	for (const change of [{ number: '1' }, { url: 'https://example.com/b.png' }, { caption: 'Ho' }]) {
		const changed = memoryIn(context, { caption: 'Ho' });
		expect(changed.entryFor(0, { ...REQUEST, ...change }).previous).toBeUndefined();
	}
});

test('an item with another request and another input is another send', () => {
	const context = {};
	memoryIn(context).entryFor(0, REQUEST).sent('m1');
	const changed = memoryIn(context, { inputs: [{ json: { number: '1' } }] });
	expect(changed.entryFor(0, { ...REQUEST, number: '1' }).previous).toBeUndefined();
});

test('an item of which nothing was changed is the same send, whatever its expressions give this time', () => {
	const context = {};
	memoryIn(context).entryFor(0, REQUEST).sent('m1');
	const later = memoryIn(context).entryFor(0, { ...REQUEST, caption: 'Sent at 08:01' });
	expect(later.previous).toEqual({ id: 'm1' });
});

test('an item whose request is the same is the same send, however it is entered now', () => {
	const context = {};
	memoryIn(context).entryFor(0, REQUEST).sent('m1');
	const entered = memoryIn(context, { caption: '={{ "Hi" }}' });
	expect(entered.entryFor(0, REQUEST).previous).toEqual({ id: 'm1' });
});

test('an item whose expression gives another number is another send', () => {
	const context = {};
	memoryIn(context).entryFor(0, REQUEST).sent('m1');
	const later = memoryIn(context).entryFor(0, { ...REQUEST, number: '49152' });
	expect(later.previous).toBeUndefined();
});

test('items and rounds of a loop are told apart', () => {
	const context = {};
	memoryIn(context, { $runIndex: 1 }).entryFor(0, REQUEST).sent('m1');
	expect(memoryIn(context, { $runIndex: 1 }).entryFor(1, REQUEST).previous).toBeUndefined();
	expect(memoryIn(context, { $runIndex: 1 }).entryFor(0, REQUEST).previous).toEqual({ id: 'm1' });
	expect(memoryIn(context, { $runIndex: 2 }).entryFor(0, REQUEST).previous).toBeUndefined();
});

test('10,000 items take less than 1 MB of what n8n stores', () => {
	const context = {};
	const memory = memoryIn(context);
	for (let i = 0; i < 10_000; i++) {
		memory.entryFor(i, { ...REQUEST, number: String(49151000000 + i) }).sent(randomUUID());
	}
	expect(stringify(context).length).toBeLessThan(1_000_000);
});
