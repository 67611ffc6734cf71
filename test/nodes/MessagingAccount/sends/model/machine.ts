import { useProcessedDataStore } from '../../../../support/processedDataStore';
import {
	useScriptedServer,
	type RecordedRequest,
	type Script,
} from '../../../../support/scriptedServer';
import { DROPPED } from '../../../../support/sendService';
import { type Course, useSimulation } from '../../../../support/simulation';
import { startNewProcess } from '../../../../support/singleNodeWorkflow';

export const server = useScriptedServer();
const store = useProcessedDataStore();
export const simulation = useSimulation(store);

/** n8n and the service, until n8n crashes: from then on, nothing reaches the database, and no answer n8n. */
export class Machine {
	hasCrashed = false;
	private eventsUntilCrash = Infinity;

	/** What `serve` has thrown first. */
	private failure?: Error;

	/** @param serve answers a request; without an answer, nobody waits for it any more */
	constructor(course: Course, serve: (request: RecordedRequest) => Script | undefined) {
		simulation.begin(course);
		server.onRequest((request) => {
			// After three sends in a row that failed, the node reads the status.
			if (request.method === 'GET')
				return this.hasCrashed ? DROPPED : { body: { is_connected: true } };
			const script = this.hasCrashed ? undefined : this.try(() => serve(request));
			if (script) this.countEvent();
			return this.hasCrashed ? DROPPED : (script ?? DROPPED);
		});
		store.reset();
		store.onCall = () => {
			this.countEvent();
			if (this.hasCrashed) throw new Error('n8n has crashed');
		};
	}

	/** @param event the number of the request, response or write to the database */
	crashAt(event = Infinity): void {
		this.hasCrashed = false;
		this.eventsUntilCrash = event;
	}

	/** Call this when a run of the node has ended. @throws what did not hold when the service received a request */
	check(): void {
		if (this.failure) throw this.failure;
	}

	/** Call this when all executions have ended. After a crash, what nobody has waited for is not done any more. */
	async rest(isFollowedByPause: boolean, story: string[]): Promise<void> {
		if (this.hasCrashed) {
			jest.clearAllTimers();
			startNewProcess();
			isFollowedByPause = false;
		}
		this.crashAt();
		if (!isFollowedByPause) return;
		story.push('Time passes');
		await simulation.runToEnd();
	}

	/** An error must not leave the request without an answer: the simulation would wait for it for ever. */
	private try<T>(serve: () => T): T | undefined {
		try {
			return serve();
		} catch (error) {
			this.failure ??= error as Error;
			return undefined;
		}
	}

	private countEvent(): void {
		if (--this.eventsUntilCrash < 0) this.hasCrashed = true;
	}
}
