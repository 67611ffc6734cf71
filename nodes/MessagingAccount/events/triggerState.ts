import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import type { beginPoll } from '../n8n/pollStart';
import { isObject } from '../shared/fields';
import { LastEmitted } from './lastEmitted';
import { StatesByName, type StoredState } from './statesByName';

/** Those of n8n's contexts in which a poll has stored a state. Outside the scheduler, n8n makes one for each publication. */
const haveStored = new WeakSet<IPollFunctions>();

/**
 * The state of a trigger's polls for an event. This must always be true: it is one object, in the node's cursor if n8n has durable ones, else
 * in static data, and what n8n has stored with a poll is the only truth, the latest if there are several. docs/design/new-messages.md says
 * when n8n stores it.
 */
export class TriggerState {
	private readonly cursor?: IDataObject;
	private readonly inStaticData: StatesByName;
	private readonly lastEmitted: LastEmitted;

	constructor(
		private readonly context: IPollFunctions,
		private readonly event: string,
		private readonly begin: ReturnType<typeof beginPoll>,
	) {
		this.inStaticData = new StatesByName(context, event, begin === 'publication');
		const { name, field } = this.inStaticData;
		this.lastEmitted = new LastEmitted(JSON.stringify([context.getWorkflow().id, name, field]));
		// n8n marks static data, to see whether it has changed, but no cursor.
		const nodeData: unknown = context.getWorkflowStaticData('node');
		if (isObject(nodeData) && !('__dataChanged' in nodeData)) this.cursor = nodeData;
	}

	/** Whether it is that of the last poll. Otherwise, n8n has not stored later ones, which emitted nothing. */
	get isOfLastPoll(): boolean {
		// With durable cursors, what is in static data may be from before n8n had them.
		if (this.cursor) return this.read() === this.cursor[this.event];
		return this.begin === 'next' && haveStored.has(this.context);
	}

	/** Whether n8n stores the state even if the poll emits nothing. */
	get isSavedAnyway(): boolean {
		return this.begin === 'publication' || this.cursor !== undefined;
	}

	/** Returns the state that the last poll stored; undefined before the first one. docs/design/new-messages.md has a table of both places. */
	read(): unknown {
		const inCursor = this.cursor?.[this.event] as StoredState | undefined;
		const inStaticData = this.inStaticData.find();
		if (!inCursor || !inStaticData) return inCursor ?? inStaticData;
		// If a clock is set back, the one that the cursor continues seems later.
		const isContinued = inStaticData.polledAt === inCursor.continues;
		return !isContinued && inStaticData.polledAt > inCursor.polledAt ? inStaticData : inCursor;
	}

	store(state: { polledAt: string }, isEmitted: boolean): void {
		haveStored.add(this.context);
		this.lastEmitted.note(state.polledAt, isEmitted);
		const nodeName = this.inStaticData.name;
		const continues = this.inStaticData.find()?.polledAt;
		if (this.cursor) this.cursor[this.event] = { ...state, nodeName, continues };
		// n8n drops the cursor of a publication without an item, and then saves the static data.
		if (this.cursor && this.begin !== 'publication') return;
		this.inStaticData.store(state);
	}

	/** Whether another poll emitted something that n8n had not saved when this one began: its scheduler makes polls at the same time. */
	isOutdated(): boolean {
		return this.begin !== 'test' && this.lastEmitted.isBeingSaved(this.polledAt);
	}

	/** Returns the time of the last poll that emitted something, if n8n has lost its state since; of each loss only once. */
	takeLoss(): string | undefined {
		return this.begin === 'test' ? undefined : this.lastEmitted.takeLoss(this.polledAt);
	}

	private get polledAt(): string {
		return (this.read() as StoredState | undefined)?.polledAt ?? '';
	}
}
