import type { IDataObject } from 'n8n-workflow';

import * as sleeping from '../../../../nodes/MessagingAccount/shared/sleep';
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
});

test('of a file it tells the name, the type and the size, and makes no link', async () => {
	const data = samplePicture().toString('base64');
	const file = { data, mimeType: 'image/png', fileName: 'a.png' };
	const result = await execute(
		[{ number: '49151' }],
		{ handOverAs: 'dataUri' },
		{
			parameters: {
				...PARAMETERS,
				number: '49151',
				imageSource: 'binary',
				options: { dryRun: true, handOverAs: 'dataUri' },
			},
			files: [{ data: file }],
			items: undefined,
		},
	);
	const told = { name: 'a.png', mimeType: 'image/png', bytes: samplePicture().length };
	expect(jsonOf(result)).toEqual([{ dryRun: true, number: '49151', file: told }]);
});

test('an item that would fail fails with the same words', async () => {
	const items = [{ number: '0151' }, { number: '49151' }];
	const result = await execute(items, {}, { settings: CONTINUE });
	expect(jsonOf(result)).toEqual([
		{ error: expect.objectContaining({ delivery: 'notSent' }) },
		{ dryRun: true, number: '49151', url: URL },
	]);
});

test.each([
	['an option of the whole run', { concurrency: 0 }, "'Concurrent Sends'"],
	['an option of the item', { timeout: -1 }, "'Timeout"],
	[
		'the ID',
		{ sendOnceId: '={{ $json.order }}' },
		"'Send Once per ID' gives nothing for this item",
	],
	['the option itself', { dryRun: 'true' }, "'Dry Run' is neither true nor false"],
])('checks %s', async (_what, options, message) => {
	const result = await execute([{ number: '49151' }], options as IDataObject, { mode: 'retry' });
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
		const message = `'Dry Run' is ${!first} for this item, but ${first} for the first one`;
		expect(jsonOf(result)[1]).toMatchObject({
			error: { message: expect.stringContaining(message) },
		});
	},
);

test('checks the credential', async () => {
	const credential = { baseUrl: 'not an address', ...CREDENTIAL };
	const result = await execute([{ number: '49151' }], {}, { credential });
	expect(result.error?.message).toContain("'Base URL'");
});

describe('an ID that an item before it has', () => {
	const run = async (numbers: string[]) => {
		const items = numbers.map((number, i) => ({ number, order: i === 1 ? ' 7' : 7 }));
		return await execute(items, { sendOnceId: '={{ $json.order }}', concurrency: 3 });
	};

	test('comes out as skipped', async () => {
		const result = await run(['49151', '49151']);
		expect(jsonOf(result)).toEqual([
			{ dryRun: true, number: '49151', url: URL, sendOnceId: 7 },
			{ dryRun: true, skipped: true, number: '49151', url: URL, sendOnceId: ' 7' },
		]);
		expect(result.stored).not.toContain('another recipient');
	});

	test('gives a hint if the item has another recipient', async () => {
		const { stored } = await run(['49151', '49152', '49153']);
		expect(stored).toContain(
			"2 items were skipped because an earlier item with another recipient has the same ID, e.g. item 1: ' 7'",
		);
	});
});

test('in a long loop, each run only lets others do their work', async () => {
	const wait = jest.spyOn(sleeping, 'sleepUnlessAborted').mockResolvedValue(true);
	await execute([{ number: '49151' }], {}, { round: 20 });
	expect(wait.mock.calls).toEqual([[1, expect.anything()]]);
});

test('a hint says that nothing was sent', async () => {
	const { stored } = await execute([{ number: '49151' }]);
	expect(stored).toContain("'Dry Run' is on: nothing was sent.");
});

describe('with Include Input Fields', () => {
	const WITH_INPUT = { includeInputFields: true };

	test('has the fields of the input', async () => {
		const result = await execute([{ number: '49151', name: 'Ada' }], WITH_INPUT);
		expect(jsonOf(result)).toEqual([
			{ dryRun: true, number: '49151', url: URL, name: 'Ada', id: null },
		]);
	});

	test('keeps what was entered in an item that fails', async () => {
		const items = [{ number: '49151' }, { number: '0151', url: 'as entered' }];
		const result = await execute(items, WITH_INPUT, { settings: CONTINUE });
		expect(jsonOf(result)[1]).toMatchObject({ number: '0151', url: 'as entered', dryRun: null });
	});
});

test('after an item that fails, the advice is not that of a send', async () => {
	const { error } = await execute([{ number: '49151' }, { number: '0151' }]);
	expect(error?.description).toContain('Items completed before the stop: 1 of 2.');
	expect(error?.description).not.toContain('Executing the workflow again');
});
