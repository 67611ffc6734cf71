import type { IDataObject } from 'n8n-workflow';

import * as sleeping from '../../../../nodes/MessagingAccount/n8n/sleep';
import { CREDENTIAL, runNode, type NodeResult, type NodeRun } from '../../../support/engine';
import { useProcessedDataStore } from '../../../support/processedDataStore';
import { useScriptedServer } from '../../../support/scriptedServer';
import { samplePicture } from '../../../../tools/embeddedService/samplePicture';

const CONTINUE = { onError: 'continueRegularOutput' } as const;
const URL = 'https://example.com/a.png';
const PARAMETERS = { operation: 'sendImage', number: '={{ $json.number }}', url: URL };

const server = useScriptedServer();
const store = useProcessedDataStore();

function execute(
	items: IDataObject[],
	options: IDataObject = {},
	more: Partial<NodeRun> = {},
): Promise<NodeResult> {
	return runNode({
		parameters: { ...PARAMETERS, options: { dryRun: true, ...options } } as NodeRun['parameters'],
		items,
		credential: { baseUrl: server.url, ...CREDENTIAL },
		...more,
	});
}

const jsonOf = ({ outputs }: NodeResult) => outputs[0].map(({ json }) => json);

afterEach(() => {
	jest.restoreAllMocks();
	expect(server.requests).toEqual([]);
	expect(store.calls).toBe(0);
});

test('outputs what would be sent, paired, and the number as it would go out', async () => {
	const parameters = { ...PARAMETERS, caption: '={{ $json.text }}', options: { dryRun: true } };
	const items = [
		{ number: '+1 202 555 0143', text: 'Hello' },
		{ number: 49151, text: '' },
	];
	const result = await execute(items, {}, { parameters });
	expect(result.outputs[0]).toEqual([
		{
			json: { dryRun: true, number: '12025550143', url: URL, caption: 'Hello' },
			pairedItem: { item: 0 },
		},
		{ json: { dryRun: true, number: '49151', url: URL }, pairedItem: { item: 1 } },
	]);
	expect(result.context).toEqual({});
	expect(result.stored).toContain("'Dry Run' is on: nothing was sent.");
	expect(result.stored).not.toContain('are not looked up');
	expect(result.stored).toContain('2 items: 2 would be sent, 0 skipped, 0 failed.');
});

test('of a file it tells the name, the type and the size, and makes no link', async () => {
	const data = samplePicture().toString('base64');
	const options = { dryRun: true, handOverAs: 'dataUri' };
	const parameters = { ...PARAMETERS, number: '49151', imageSource: 'binary', options };
	const files = [{ data: { data, mimeType: 'image/png', fileName: 'a.png' } }];
	const result = await execute([], {}, { parameters, files, items: undefined });
	const file = { name: 'a.png', mimeType: 'image/png', bytes: samplePicture().length };
	expect(jsonOf(result)).toEqual([{ dryRun: true, number: '49151', file }]);
});

test('an item that would fail fails with the same words', async () => {
	const items = [{ number: '0151' }, { number: '49151' }];
	const result = await execute(items, {}, { settings: CONTINUE });
	expect(jsonOf(result)).toEqual([
		{ error: expect.objectContaining({ delivery: 'notSent' }) },
		{ dryRun: true, number: '49151', url: URL },
	]);
});

const NO_ID = "'Send Once per ID' is empty for this item";

test.each<[what: string, options: IDataObject, message: string, baseUrl?: string]>([
	['an option of the whole run', { concurrency: 0 }, "'Concurrent Sends'"],
	['an option of the item', { timeout: -1 }, "'Timeout"],
	['the ID', { sendOnceId: '={{ $json.order }}' }, NO_ID],
	['the credential', {}, "'Base URL'", 'not an address'],
])('checks %s', async (_what, options, message, baseUrl = server.url) => {
	const credential = { baseUrl, ...CREDENTIAL };
	const result = await execute([{ number: '49151' }], options, { credential, mode: 'retry' });
	expect(result.error?.message).toContain(message);
	expect(result.context).toEqual({});
});

test.each([true, false])(
	'if the first item says %s, one that says otherwise fails',
	async (first) => {
		// Nothing is sent for the first item, either.
		const items = [
			{ number: first ? '49151' : '0151', isTried: first },
			{ number: '49152', isTried: !first },
		];
		const options = { dryRun: '={{ $json.isTried }}' };
		const result = await execute(items, options, { settings: CONTINUE });
		expect(jsonOf(result)[1]).toHaveProperty(
			'error.message',
			expect.stringContaining(
				`'Dry Run' is ${!first} for this item, but ${first} for the first one`,
			),
		);
	},
);

test('an ID that an item before it has comes out as skipped, with a hint if the recipient is another', async () => {
	const run = async (numbers: string[]) => {
		const items = numbers.map((number, i) => ({ number, order: i === 1 ? ' 7' : 7 }));
		return await execute(items, { sendOnceId: '={{ $json.order }}', concurrency: 3 });
	};
	const result = await run(['49151', '49151']);
	expect(jsonOf(result)).toEqual([
		{ dryRun: true, number: '49151', url: URL, sendOnceId: 7 },
		{ dryRun: true, skipped: true, reason: 'id', number: '49151', url: URL, sendOnceId: ' 7' },
	]);
	expect(result.stored).not.toContain('another recipient');
	expect(result.stored).toContain('IDs that earlier executions used are not looked up.');
	expect((await run(['49151', '49152', '49153'])).stored).toContain(
		"Skipped because an earlier item with another recipient has the same ID: 2 items, e.g. item 1: ' 7'. Give each image an ID of its own.",
	);
});

test('in a long loop, each run only lets others do their work', async () => {
	const wait = jest.spyOn(sleeping, 'sleepUnlessAborted').mockResolvedValue(true);
	await execute([{ number: '49151' }], {}, { round: 20 });
	expect(wait.mock.calls).toEqual([[1, expect.anything()]]);
});

test('with Include Input Fields, items have the fields of the input, failed ones as entered', async () => {
	const items = [
		{ number: '49151', name: 'Ada' },
		{ number: '0151', url: 'as entered' },
	];
	const result = await execute(items, { includeInputFields: true }, { settings: CONTINUE });
	expect(jsonOf(result)).toEqual([
		{ dryRun: true, number: '49151', url: URL, name: 'Ada', error: null },
		expect.objectContaining({ number: '0151', url: 'as entered', dryRun: null }),
	]);
});

test('after an item that fails, the advice is not that of a send', async () => {
	const { error } = await execute([{ number: '49151' }, { number: '0151' }]);
	expect(error?.description).toContain('Items completed before the stop: 1 of 2.');
	expect(error?.description).not.toContain('Executing the workflow again');
});
