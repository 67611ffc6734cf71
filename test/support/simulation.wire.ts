import { list, nameOf, useSends } from './sends';
import { type Course, useSimulation } from './simulation';

const { server, store, run } = useSends();
const simulation = useSimulation(store);

/** Plays an execution, and returns all that happened, in order. */
async function play(course: Course): Promise<string> {
	const events: string[] = [];
	simulation.begin(course);
	store.reset();
	store.onCall = (keys) => events.push(`${keys.length} keys`);
	server.requests.length = 0;
	server.onRequest((request) => {
		events.push(`to ${nameOf(request)}`);
		return { body: { id: 'm' } };
	});
	await run(list(16), { answers: 'as before', options: { concurrency: 4 } });
	await simulation.runToEnd();
	expect(server.requests).toHaveLength(16);
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
		expect(await play(course)).toBe(history);
		histories.add(history);
	}
	expect(histories.size).toBe(COURSES.length);
});

test('a history that stands still is reported', async () => {
	simulation.begin(COURSES[0]);
	await expect(simulation.runUntil(new Promise(() => {}))).rejects.toThrow('Nothing is left');
});
