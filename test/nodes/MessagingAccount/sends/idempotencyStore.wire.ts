/* eslint-disable @n8n/community-nodes/no-restricted-globals -- another process writes in its own time */
import type { IExecuteFunctions } from 'n8n-workflow';

import { IdempotencyStore } from '../../../../nodes/MessagingAccount/sends/idempotencyStore';
import { IdStore } from '../../../support/idStore';

const store = new IdStore();

/** As much of n8n as the record asks for. */
const context = { helpers: store } as unknown as IExecuteFunctions;

beforeEach(() => {
	store.reset();
});

test('an ID that is taken back while another is put on record stays off it, also when it was undone before', async () => {
	const record = new IdempotencyStore(context);
	await record.reserve('A');
	store.ids = [];
	let takingBack: Promise<void> | undefined;
	store.whileCalled = () => {
		takingBack ??= record.release('A');
	};
	await record.reserve('B');
	await takingBack;
	await record.flush();
	expect(store.ids).toEqual(['B']);
});

test('an ID that is undone soon after it was seen on record is put there again', async () => {
	const record = new IdempotencyStore(context);
	await record.reserve('A');
	await record.reserve('B');
	store.ids = ['B'];
	await record.flush();
	expect(store.ids).toEqual(['B', 'A']);
});

test('an ID that is undone again and again is told of', async () => {
	const record = new IdempotencyStore(context);
	await record.reserve('A');
	const undoAfterwards = setInterval(() => (store.ids = []), 10);
	const settled = record.flush().finally(() => clearInterval(undoAfterwards));
	await expect(settled).rejects.toThrow(
		"n8n's store of processed IDs cannot be used: other processes keep removing them",
	);
});

test('settles at once where nothing was put on record', async () => {
	store.failure = new Error('asked all the same');
	await new IdempotencyStore(context).flush();
});
