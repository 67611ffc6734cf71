import type { IExecuteFunctions } from 'n8n-workflow';

import { getRunIndex } from '../../n8n/executions';
import { isToolNode } from '../../n8n/agentTool';
import type { Attempt, Outcome } from '../attempt';

const createStored = () => ({
	/** The index of the last run of the node; for a tool, the ID of the execution. */
	run: '',
	/** The attempts as `encode` writes them, in sequence, by recipient. */
	attempts: {} as Record<string, string[]>,
});
type Stored = ReturnType<typeof createStored>;

/** The logs that this process has opened, each with the entries that its items have taken. A retry reads a new one from n8n's database. */
const opened = new WeakMap<Stored, Set<string>>();

/** What an outcome has beside `is`. */
const DETAIL_NAMES: Record<string, string> = { sent: 'id', unknown: 'reason', changed: 'isSent' };

const INTERRUPTED: Outcome = { is: 'unknown', reason: 'it was interrupted' };

/**
 * The attempts at sends in the node's context, which n8n stores with the execution at its end. So they are still there when n8n runs the
 * node again because of "Retry On Fail" or "Retry execution".
 *
 * | n8n runs the node | wasOpen | repeatsRun |
 * | --- | --- | --- |
 * | for the first time, or another run in a new process | no | no |
 * | in the next round of a loop | yes | no |
 * | again, with Retry On Fail | yes | yes |
 * | again, with a retry of the execution | no | yes |
 * | as a tool | either | no |
 */
export class StoredLog {
	readonly isTool: boolean;
	readonly run: string;
	/** Whether this process has opened it before, for an earlier run of the node. */
	readonly wasOpen: boolean;
	readonly repeatsRun: boolean;
	/** The entries that an item of this process has taken. The others are those of rows that were edited or left out before a retry. */
	readonly taken: Set<string>;
	private readonly stored: Stored;

	constructor(context: IExecuteFunctions) {
		this.isTool = isToolNode(context.getNode());
		// n8n counts each call of a tool as a run of its own; for us, an execution with all its calls is one.
		this.run = this.isTool ? (context.getExecutionId() ?? '') : String(getRunIndex(context));
		const nodeContext: { sendLog?: Stored } = context.getContext('node');
		this.stored = nodeContext.sendLog ??= createStored();
		this.wasOpen = opened.has(this.stored);
		this.taken = opened.get(this.stored) ?? new Set();
		opened.set(this.stored, this.taken);
		this.repeatsRun = !this.isTool && this.stored.run === this.run;
		this.stored.run = this.run;
	}

	list(): Attempt[] {
		return Object.keys(this.stored.attempts).flatMap((recipient) => this.attemptsAt(recipient));
	}

	/** In sequence. */
	attemptsAt(recipientHash: string): Attempt[] {
		const texts = this.stored.attempts[recipientHash] ?? [];
		return texts.map((text, i) => decode(recipientHash, i, text));
	}

	countAt(recipientHash: string): number {
		return this.stored.attempts[recipientHash]?.length ?? 0;
	}

	write(attempt: Attempt): void {
		const { recipientHash, sequence } = attempt;
		const { attempts } = this.stored;
		attempts[recipientHash] = attempts[recipientHash] ?? [];
		attempts[recipientHash][sequence] = encode(attempt);
	}
}

/** @example toEntry({ recipientHash: 'Xb3k9', sequence: 0 }) // 'Xb3k9.0', its name among all */
export const toEntry = ({ recipientHash, sequence }: Pick<Attempt, 'recipientHash' | 'sequence'>) =>
	`${recipientHash}.${sequence}`;

/**
 * Returns an attempt as text, which takes less room in n8n's database than an object. Only the last part can have spaces.
 * @example '0 12 Xb3k9 - 1.0.2 - unknown "a timeout"' // run, item, content, no ID, place, not looked up, outcome
 */
function encode(attempt: Attempt): string {
	const { run, itemIndex, contentHash, idHash, place, isLookedUp, outcome } = attempt;
	// n8n may end the execution meanwhile.
	const { is, ...details } = outcome.is === 'begun' ? INTERRUPTED : outcome;
	const onRecord = place ? [place.execution, ...place.numbers].join('.') : '-';
	const detail = Object.values(details).map((one) => JSON.stringify(one));
	const found = isLookedUp ? 'found' : '-';
	return [run, itemIndex, contentHash, idHash ?? '-', onRecord, found, is, ...detail].join(' ');
}

function decode(recipientHash: string, sequence: number, text: string): Attempt {
	const [run, itemIndex, contentHash, id, onRecord, found, is, ...rest] = text.split(' ');
	const [execution, ...numbers] = onRecord.split('.').map(Number);
	const name = DETAIL_NAMES[is];
	const detail = name && { [name]: JSON.parse(rest.join(' ') || 'null') as unknown };
	return {
		recipientHash,
		sequence,
		run,
		itemIndex: Number(itemIndex),
		contentHash,
		idHash: id === '-' ? undefined : id,
		place: onRecord === '-' ? undefined : { execution, numbers },
		isLookedUp: found === 'found',
		outcome: { is, ...detail } as Outcome,
	};
}
