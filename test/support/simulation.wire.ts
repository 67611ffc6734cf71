import { CREDENTIAL, runNode } from './engine';
import { useProcessedDataStore } from './processedDataStore';
import { useScriptedServer } from './scriptedServer';
import { numberOf } from './sendService';
import { type Course, useSimulation } from './simulation';

const server = useScriptedServer();
const store = useProcessedDataStore();
const simulation = useSimulation(store);

/** Plays two executions at once, and returns all that happened, in order. */
async function play(course: Course): Promise<string> {
	const events: string[] = [];
	simulation.begin(course);
	store.reset();
	store.onCall = (keys) => events.push(`${keys.length} keys`);
	server.onRequest((request) => {
		events.push(numberOf(request));
		return { body: { id: 'm' } };
	});
	const runs = ['1', '2'].map(
		async (name) =>
			await runNode({
				resumeToken: name,
				items: Array.from({ length: 8 }, (_, i) => ({ number: `4915100000${name}${i}` })),
				parameters: {
					operation: 'sendImage',
					number: '={{ $json.number }}',
					url: 'https://example.com/image.png',
					options: { concurrency: 2 },
				},
				credential: { baseUrl: server.url, ...CREDENTIAL },
			}),
	);
	await simulation.runUntil(Promise.all(runs));
	await simulation.runToEnd();
	return events.join(', ');
}

const COURSES: Course[] = [
	{ order: 1, durations: [] },
	{ order: 2, durations: [] },
	{ order: 1, durations: [1, 800] },
];

test('the same course is the same history each time, another one is another one', async () => {
	const histories = new Set<string>();
	for (const course of COURSES) {
		const history = await play(course);
		expect(history.match(/\d{12}/g)).toHaveLength(16);
		expect(await play(course)).toBe(history);
		histories.add(history);
	}
	expect(histories.size).toBe(COURSES.length);
});

test('a history that stands still is reported', async () => {
	simulation.begin(COURSES[0]);
	await expect(simulation.runUntil(new Promise(() => {}))).rejects.toThrow('Nothing is left');
});
