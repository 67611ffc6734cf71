import { waitUntil } from './waitUntil';

/** Two intervals. */
const LIMIT_MS = 400;

test('waits until the condition holds', async () => {
	const letters = ['a', 'b', 'c', 'd'];
	await waitUntil('a c', () => letters.shift() === 'c', LIMIT_MS);
	expect(letters).toEqual(['d']);
});

test('after the limit, says what it waited for, and the end of what it saw last', async () => {
	const value = `${'.'.repeat(400)} stopped`;
	const wait = waitUntil('three messages', (saw) => saw(value).length === 3, LIMIT_MS);
	const shown = `…${'.'.repeat(291)} stopped"`;
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
