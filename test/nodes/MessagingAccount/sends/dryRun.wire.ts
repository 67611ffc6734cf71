import type { IDataObject } from 'n8n-workflow';

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
});

test('leaves nothing in the execution, so a retry that sends does not take it for an attempt', async () => {
	const { context } = await execute([{ number: '49151' }]);
	expect(context).toEqual({});
	await execute([{ number: '49151' }], {}, { context, mode: 'retry' });
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
	const result = await execute([{ number: '49151' }], options as IDataObject);
	expect(result.error?.message).toContain(message);
});

test('checks the credential', async () => {
	const credential = { baseUrl: 'not an address', ...CREDENTIAL };
	const result = await execute([{ number: '49151' }], {}, { credential });
	expect(result.error?.message).toContain("'Base URL'");
});

test('an ID that an item before it has comes out as skipped', async () => {
	const items = [
		{ number: '49151', order: 7 },
		{ number: '49152', order: ' 7' },
		{ number: '49153', order: 8 },
	];
	const result = await execute(items, { sendOnceId: '={{ $json.order }}', concurrency: 3 });
	expect(jsonOf(result)).toEqual([
		{ dryRun: true, number: '49151', url: URL, sendOnceId: 7 },
		{ dryRun: true, skipped: true, sendOnceId: ' 7' },
		{ dryRun: true, number: '49153', url: URL, sendOnceId: 8 },
	]);
});

test('goes with Include Input Fields', async () => {
	const result = await execute([{ number: '49151', name: 'Ada' }], { includeInputFields: true });
	expect(jsonOf(result)).toEqual([
		{ dryRun: true, number: '49151', url: URL, name: 'Ada', id: null },
	]);
});
