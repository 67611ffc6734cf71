import type { IDataObject } from 'n8n-workflow';

import * as sleeping from '../../../../nodes/MessagingAccount/n8n/sleep';
import { CONTINUE, RETRY_ON_FAIL, useSends, type SendRun } from '../../../support/sends';
import { samplePicture } from '../../../../tools/embeddedService/samplePicture';

const PREVIEW = { dryRun: true, number: '49151001', url: 'https://example.com/a.png' };
const IS_ON = "'Dry Run' is on: nothing was sent.";

const sends = useSends();
const { server, store } = sends;

const run = async (
	items: string | IDataObject[],
	options: IDataObject = {},
	more: SendRun = { settings: CONTINUE },
) => await sends.run(items, { ...more, options: { dryRun: true, ...options } });

afterEach(() => {
	expect(server.requests).toEqual([]);
	expect(store.calls).toBe(0);
});

test('outputs what would be sent, paired, and the number as it would go out', async () => {
	const items = [
		{ number: '+1 202 555 0143', caption: 'Hello' },
		{ number: 49151, caption: '' },
	];
	const result = await run(items, {}, { parameters: { number: '={{ $json.number }}' } });
	expect(result.outputs[0]).toEqual([
		{ json: { ...PREVIEW, number: '12025550143', caption: 'Hello' }, pairedItem: { item: 0 } },
		{ json: { ...PREVIEW, number: '49151' }, pairedItem: { item: 1 } },
	]);
	expect(result.context).toEqual({});
	expect(result.hints).toEqual([IS_ON]);
	expect(result.summary).toBe('2 items: 2 would be sent, 0 skipped, 0 failed.');
});

test('of a file it tells the name, the type and the size, and makes no link', async () => {
	const data = samplePicture().toString('base64');
	const parameters = { imageSource: 'binary' };
	const files = [{ data: { data, mimeType: 'image/png', fileName: 'a.png' } }];
	const { json } = await run('1', { handOverAs: 'dataUri' }, { parameters, files });
	const file = { name: 'a.png', mimeType: 'image/png', bytes: samplePicture().length };
	expect(json).toEqual([{ dryRun: true, number: PREVIEW.number, file }]);
});

test('an item that would fail fails with the same words', async () => {
	const failed = { error: expect.objectContaining({ delivery: 'notSent' }) as unknown };
	expect((await run('none 1')).json).toEqual([failed, PREVIEW]);
});

test.each<
	[what: string, options: IDataObject, message: string, credential?: SendRun['credential']]
>([
	['an option of the whole run', { concurrency: 0 }, "'Concurrent Sends'"],
	['an option of the item', { timeout: -1 }, "'Timeout"],
	['the ID', { sendOnceId: '={{ $json.order }}' }, "'Send Once per ID' is empty for this item"],
	['the credential', {}, "'Base URL'", { baseUrl: 'not an address' }],
])('checks %s', async (_what, options, message, credential = {}) => {
	const { errors, context } = await run('1', options, { credential, mode: 'retry' });
	expect(errors[0]).toContain(message);
	expect(context).toEqual({});
});

test.each([true, false])('the first item says %s: one that says otherwise fails', async (on) => {
	// Nothing is sent for the first item, either.
	const items = [
		{ number: on ? '1' : 'none', isTried: on },
		{ number: '2', isTried: !on },
	];
	const { errors } = await run(items, { dryRun: '={{ $json.isTried }}' });
	expect(errors[1]).toContain(`'Dry Run' is ${!on} for this item, but ${on} for the first one`);
});

test('an ID that an item before it has comes out as skipped, with a hint if the recipient is another', async () => {
	const runOnce = async (...numbers: string[]) => {
		const items = numbers.map((number, i) => ({ number, order: i === 1 ? ' 7' : 7 }));
		return await run(items, { sendOnceId: '={{ $json.order }}', concurrency: 3 });
	};
	const { json, hints } = await runOnce('1', '1');
	expect(json).toEqual([
		{ ...PREVIEW, sendOnceId: 7 },
		{ ...PREVIEW, skipped: true, reason: 'id', sendOnceId: ' 7' },
	]);
	const isOn = `${IS_ON} IDs that earlier executions used are not looked up.`;
	expect(hints).toEqual([isOn]);
	expect((await runOnce('1', '2')).hints).toEqual([
		isOn,
		'Skipped because an earlier item with another recipient has the same ID: 1 item, e.g. item 1. If nobody has the images yet, give each one an ID of its own. Otherwise, put these in a list of their own, with other IDs: with new IDs for the full list, everybody gets the image again.',
	]);
});

test('in a loop, the limit and the IDs are those of all rounds, and a round that n8n repeats counts once', async () => {
	const loop = { context: {}, isInLoop: true, settings: { ...CONTINUE, ...RETRY_ON_FAIL } };
	const options = { maxSends: 3, sendOnceId: '={{ $json.number }}' };
	const results = [];
	for (const [round, items] of [
		[0, '1 2'],
		[0, '1 2'],
		[1, '2 3 4 4'],
	] as const)
		results.push((await run(items, options, { ...loop, round })).summary);
	const first = '2 items: 2 would be sent, 0 skipped, 0 failed.';
	const last = '4 items: 1 would be sent, 1 skipped, 0 failed, 2 left.';
	expect(results).toEqual([first, first, last]);
});

test('in a long loop, each run only lets others do their work', async () => {
	const wait = jest.spyOn(sleeping, 'sleepUnlessAborted').mockResolvedValue(true);
	await run('1', {}, { round: 20 });
	expect(wait.mock.calls).toEqual([[1, expect.anything()]]);
});

test('with Include Input Fields, items have the fields of the input, failed ones as entered', async () => {
	const items = [
		{ number: '1', name: 'Ada' },
		{ number: 'none', url: 'as entered' },
	];
	expect((await run(items, { includeInputFields: true })).json).toEqual([
		{ ...PREVIEW, name: 'Ada', error: null },
		expect.objectContaining({ number: 'none', url: 'as entered', dryRun: null }),
	]);
});
