import type { IExecuteFunctions } from 'n8n-workflow';

import {
	createPlanner,
	type ReadOperation,
} from '../../../../nodes/MessagingAccount/operations/operation';

const MAX_TIMEOUT_MS = 2 ** 31 - 1;

const readTimeout = async (value: unknown) => {
	const node = { type: 'messagingAccount', parameters: { options: { timeout: value } } };
	const getNodeParameter = (_name: string, _itemIndex: number, fallback: unknown) =>
		value === undefined ? fallback : value;
	const context = { getInputData: () => [{ json: {} }], getNode: () => node, getNodeParameter };
	const planner = createPlanner(
		{ sends: false, prepare: () => ({}) } as unknown as ReadOperation,
		context as unknown as IExecuteFunctions,
		undefined as never,
	);
	return (await planner.planItem(0)).timeout;
};

// Undefined is not set.
test.each([
	[1, 1],
	[1.5, 1.5],
	['250', 250],
	[MAX_TIMEOUT_MS, MAX_TIMEOUT_MS],
	[undefined, 60_000],
])('Timeout of %j is %d ms', async (value, expected) => {
	expect(await readTimeout(value)).toBe(expected);
});

test.each([0, 0.5, -1, MAX_TIMEOUT_MS + 1, 'soon', '', null])('no Timeout: %j', async (value) => {
	await expect(readTimeout(value)).rejects.toMatchObject({
		message: "'Timeout (Milliseconds)' is not a number from 1 to 2147483647",
		description: expect.stringMatching(/^Enter a number in this range, e\.g\. 60000/) as string,
	});
});
