import { waitUntil } from './waitUntil';

/** Two intervals. */
const LIMIT_MS = 400;

test('waits until the condition holds', async () => {
	const letters = ['a', 'b', 'c', 'd'];
	await waitUntil('a c', () => letters.shift() === 'c', LIMIT_MS);
	expect(letters).toEqual(['d']);
});

test.each([
	['the value', ['m1', 'm2'], '["m1","m2"]'],
	['that it was nothing', undefined, 'undefined'],
	['the end of a long value', `${'.'.repeat(400)} stopped`, `…${'.'.repeat(291)} stopped"`],
])('after the limit, says what it waited for and %s', async (_what, value, shown) => {
	const wait = waitUntil('three messages', (saw) => saw(value)?.length === 3, LIMIT_MS);
	const message = `Waited 0.4 s for three messages; last saw: ${shown}`;
	await expect(wait).rejects.toThrow(new Error(message));
});

test('reports at once what the condition throws', async () => {
	const cause = new TypeError('It has exited');
	const condition = jest.fn().mockRejectedValue(cause);
	const message = 'While waiting for its output: TypeError: It has exited';
	const wait = waitUntil('its output', condition);
	await expect(wait).rejects.toThrow(new Error(message, { cause }));
	expect(condition).toHaveBeenCalledTimes(1);
});

test('the stack begins with the line that waits', async () => {
	let stack = '';
	try {
		await waitUntil('it', () => false, LIMIT_MS);
	} catch (error) {
		stack = (error as Error).stack!;
	}
	expect(stack.split('\n')[1]).toContain('waitUntil.test.ts');
});
