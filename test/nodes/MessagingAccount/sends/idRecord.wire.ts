/* eslint-disable @n8n/community-nodes/no-restricted-globals -- another process writes in its own time */
import type { IExecuteFunctions } from 'n8n-workflow';

import { IdRecord } from '../../../../nodes/MessagingAccount/sends/idRecord';
import { IdStore } from '../../../support/idStore';

const store = new IdStore();

/** As much of n8n as the record asks for. */
const context = { helpers: store } as unknown as IExecuteFunctions;

beforeEach(() => {
	store.reset();
});

test('an ID that is taken back while another is put on record stays off it, also when it was undone before', async () => {
	const record = new IdRecord(context);
	await record.add('A');
	store.ids = [];
	let takingBack: Promise<void> | undefined;
	store.whileCalled = () => {
		takingBack ??= record.takeBack('A');
	};
	await record.add('B');
	await takingBack;
	await record.settle();
	expect(store.ids).toEqual(['B']);
});

test('an ID that is undone soon after it was seen on record is put there again', async () => {
	const record = new IdRecord(context);
	await record.add('A');
	await record.add('B');
	store.ids = ['B'];
	await record.settle();
	expect(store.ids).toEqual(['B', 'A']);
});

test('an ID that is undone again and again is told of', async () => {
	const record = new IdRecord(context);
	await record.add('A');
	const undoAfterwards = setInterval(() => (store.ids = []), 10);
	const settled = record.settle().finally(() => clearInterval(undoAfterwards));
	await expect(settled).rejects.toThrow(
		"n8n's record of IDs cannot be used: others keep undoing it",
	);
});

test('settles at once where nothing was put on record', async () => {
	store.failure = new Error('asked all the same');
	await new IdRecord(context).settle();
});
