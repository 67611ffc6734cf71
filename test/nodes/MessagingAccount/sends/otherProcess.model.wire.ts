import { caseCount } from '../../../support/testSize';
import fc from '../../../support/fastCheck';
import { CONTINUE, list, SEND_ONCE, useSends } from '../../../support/sends';
import { type Course, courses, useSimulation } from '../../../support/simulation';
import { currentWorkflowId } from '../../../support/singleNodeWorkflow';

const ITEM_COUNT = 40;
/** Longer, and another process could stand still for more seconds than what it overwrites is repeated. */
const MAX_TURN_MS = 100;

const { store, run } = useSends();
const simulation = useSimulation(store);

const busyCourses = courses.map(({ order, durations }): Course => {
	return { order, durations: durations.map((ms) => Math.min(ms, MAX_TURN_MS)) };
});

/** At some calls, over and over again, another process begins to add a key of its own: it reads n8n's record, and later writes it back. */
function addBeside(calls: boolean[]): void {
	let count = 0;
	store.onCall = (keys) => {
		if (keys.includes('other') || !calls[count++ % calls.length]) return;
		for (const scope of ['workflow', 'node'] as const) {
			const workflow = { id: currentWorkflowId(), active: true };
			void store.checkProcessedAndRecord(['other'], scope, { workflow }, { mode: 'entries' });
			void store.removeProcessed(['other'], scope, { workflow });
		}
	};
}

test('whatever another process overwrites or writes back, each item is sent once', async () => {
	const property = fc.asyncProperty(
		busyCourses,
		fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }),
		fc.constantFrom(3, 10),
		async (course, calls, concurrency) => {
			simulation.begin(course);
			store.reset();
			addBeside(calls);
			const { results, requested } = await run(list(ITEM_COUNT, 'A'), {
				mode: 'webhook',
				resumeToken: 'execution',
				settings: CONTINUE,
				options: { ...SEND_ONCE, concurrency },
			});
			const names = list(ITEM_COUNT).split(' ');
			expect(results).toBe(names.map((name) => `m${name}`).join(' '));
			expect(requested.split(' ').sort()).toEqual([...names].sort());
			await simulation.runToEnd();
		},
	);
	await fc.assert(property, { numRuns: caseCount(200, 0.1) });
});
