import { deepCopy, type IDataObject, type IPollFunctions } from 'n8n-workflow';

import { isObject } from '../shared/fields';

/** The beginning of the fields with states of triggers in global static data. */
const PREFIX = 'messagingAccountTrigger';

/** The names of these fields never change. */
export interface StoredState {
	nodeName: string;
	/** The time of the poll, in ISO 8601. */
	polledAt: string;
	/** The `polledAt` of the state that this one continues: in static data, the one under an old name; in a cursor, the one in static data. */
	continues?: string;
}

/** The states of an event in static data, for all nodes with the ID of this one: several have it e.g. after an import. */
export class StatesByName {
	readonly name: string;
	/** One for each node ID: n8n saves the static data only if one of its fields was set, whatever changes within. */
	readonly field: string;
	private readonly global: IDataObject;

	constructor(
		private readonly context: IPollFunctions,
		private readonly event: string,
		private readonly isPublication: boolean,
	) {
		const { id, name } = context.getNode();
		this.name = name;
		this.field = `${PREFIX} ${id} ${event}`;
		this.global = context.getWorkflowStaticData('global');
	}

	/**
	 * Finds the latest state of the node, which is called A now. A new name comes with a publication.
	 *
	 * | states with its ID | what happened | its own is that of |
	 * | --- | --- | --- |
	 * | A, and B that took A's, at a publication | it was called B in between | B, unless another node of this ID is called B |
	 * | A, and others | the others are of other nodes | A |
	 * | B | it was called B until now | B |
	 */
	find(): StoredState | undefined {
		const states = this.list();
		const own = states.find(({ nodeName }) => nodeName === this.name);
		if (!own) return states.at(0);
		if (!this.isPublication) return own;
		// If they swapped names, the other node has another ID.
		const haveSwapped = this.listNamesOfOtherIds().includes(this.name);
		const continuesOwn = ({ nodeName, continues }: StoredState) =>
			continues === own.polledAt && (haveSwapped || !this.isOfOtherNode(nodeName));
		return states.find(continuesOwn) ?? own;
	}

	/** Stores the state, and keeps those of other nodes with this ID. */
	store(state: { polledAt: string }): void {
		const before = this.find();
		const continues = before?.nodeName === this.name ? before.continues : before?.polledAt;
		const own = { ...state, nodeName: this.name, continues };
		const others = this.list().filter(
			({ nodeName }) => nodeName !== this.name && this.isOfOtherNode(nodeName),
		);
		// Copied, as n8n would wrap what is stored already in one more proxy each time.
		this.global[this.field] = [own, ...deepCopy(others)] as IDataObject[string];
	}

	/** Whether a name is that of another node with this ID: if one with another ID has it, it was this one's. */
	private isOfOtherNode(name: string): boolean {
		const exists = this.context.getChildNodes(name).length > 0;
		return exists && !this.listNamesOfOtherIds().includes(name);
	}

	private listNamesOfOtherIds(): string[] {
		const isOfEvent = (one: string) => one.startsWith(PREFIX) && one.endsWith(` ${this.event}`);
		const fields = Object.keys(this.global).filter((one) => one !== this.field && isOfEvent(one));
		return fields.flatMap((one) => this.list(one)).map(({ nodeName }) => nodeName);
	}

	/** Lists the states in a field. Somebody may have entered anything there. */
	private list(field = this.field): StoredState[] {
		const states = this.global[field];
		return (Array.isArray(states) ? states : []).filter(isObject) as unknown as StoredState[];
	}
}
