import { deepCopy, type IDataObject, type IPollFunctions } from 'n8n-workflow';

import { isObject } from '../shared/fields';

/** The beginning of the fields in the workflow's global static data with the states of its triggers. */
const PREFIX = 'messagingAccountTrigger';

/** The names of these fields never change. */
export interface StoredState {
	nodeName: string;
	/** The time of the poll, in ISO 8601. */
	polledAt: string;
	/** The `polledAt` of the state that this one continues: in static data, the one under an old name; in a cursor, the one in static data. */
	took?: string;
	/** What was listed: see `PollState`. */
	account?: string;
	asked?: string;
}

/** The states of an event in static data, for all nodes with the ID of this one: several have it e.g. after an import. */
export class StaticStates {
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
	 * | states with its ID | its own is that of |
	 * | --- | --- |
	 * | A, and B that took A's and lists the same, at a publication | B: so it was called in between |
	 * | A, and others | A: the others are of other nodes |
	 * | B | B: so it was called until now |
	 */
	find(): StoredState | undefined {
		const states = this.list();
		const own = states.find(({ nodeName }) => nodeName === this.name);
		if (!own) return states.at(0);
		const continuesOwn = ({ took, account, asked }: StoredState) =>
			took === own.polledAt && account === own.account && asked === own.asked;
		return (this.isPublication && states.find(continuesOwn)) || own;
	}

	/** Stores the state, and keeps those of other nodes with this ID, but none under a name that a node with another ID has: it was this one's. */
	store(state: { polledAt: string }): void {
		const before = this.find();
		const took = before?.nodeName === this.name ? before.took : before?.polledAt;
		const own = { ...state, nodeName: this.name, took };
		const isOfEvent = (one: string) => one.startsWith(PREFIX) && one.endsWith(` ${this.event}`);
		const fields = Object.keys(this.global).filter((one) => one !== this.field && isOfEvent(one));
		const elsewhere = fields.flatMap((one) => this.list(one)).map(({ nodeName }) => nodeName);
		const names = [this.name, ...elsewhere];
		const isOther = ({ nodeName }: StoredState) =>
			!names.includes(nodeName) && this.context.getChildNodes(nodeName).length > 0;
		// Copied, as n8n would wrap what is stored already in one more proxy each time.
		const others = deepCopy(this.list().filter(isOther));
		this.global[this.field] = [own, ...others] as IDataObject[string];
	}

	/** Lists the states in a field. Somebody may have entered anything there. */
	private list(field = this.field): StoredState[] {
		const states = this.global[field];
		return (Array.isArray(states) ? states : []).filter(isObject) as unknown as StoredState[];
	}
}
