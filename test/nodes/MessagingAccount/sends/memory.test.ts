/* eslint-disable @n8n/community-nodes/no-restricted-imports -- tests make ids as services do */
import { randomUUID } from 'node:crypto';

import { stringify } from 'flatted';
import type { IExecuteFunctions } from 'n8n-workflow';

import { SendMemory } from '../../../../nodes/MessagingAccount/sends/memory';

const REQUEST = { number: '49151', url: 'https://example.com/a.png', caption: 'Hi' };

/** As much of n8n as the memory asks for; that n8n keeps it is shown in a real one. */
function memoryIn(context: object, $runIndex = 0): SendMemory {
	return new SendMemory({
		getNode: () => ({ type: 'n8n-nodes-messaging-account.messagingAccount' }),
		getContext: () => context,
		getWorkflowDataProxy: () => ({ $runIndex }),
	} as unknown as IExecuteFunctions);
}

test('an item is not known, then uncertain, then sent', () => {
	const context = {};
	const earlier = () => memoryIn(context).recordOf(3, REQUEST).earlier;
	expect(earlier()).toBeUndefined();
	memoryIn(context).recordOf(3, REQUEST).begin();
	expect(earlier()).toBe('unknown');
	memoryIn(context).recordOf(3, REQUEST).sent('m"1');
	expect(earlier()).toEqual({ id: 'm"1' });
});

test('an item that was not sent is not known', () => {
	const context = {};
	const record = memoryIn(context).recordOf(3, REQUEST);
	record.begin();
	record.notSent();
	expect(memoryIn(context).recordOf(3, REQUEST).earlier).toBeUndefined();
});

test.each([{ number: '49152' }, { url: 'https://example.com/b.png' }, { caption: 'Ho' }])(
	'an item with another %j is another send',
	(change) => {
		const context = {};
		memoryIn(context).recordOf(0, REQUEST).sent('m1');
		expect(memoryIn(context).recordOf(0, { ...REQUEST, ...change }).earlier).toBeUndefined();
	},
);

test('items and rounds of a loop are told apart', () => {
	const context = {};
	memoryIn(context, 1).recordOf(0, REQUEST).sent('m1');
	expect(memoryIn(context, 1).recordOf(1, REQUEST).earlier).toBeUndefined();
	expect(memoryIn(context, 1).recordOf(0, REQUEST).earlier).toEqual({ id: 'm1' });
	expect(memoryIn(context, 2).recordOf(0, REQUEST).earlier).toBeUndefined();
});

test('10,000 items take less than 1 MB of what n8n stores', () => {
	const context = {};
	const memory = memoryIn(context);
	for (let i = 0; i < 10_000; i++) {
		memory.recordOf(i, { ...REQUEST, number: String(49151000000 + i) }).sent(randomUUID());
	}
	expect(stringify(context).length).toBeLessThan(1_000_000);
});
