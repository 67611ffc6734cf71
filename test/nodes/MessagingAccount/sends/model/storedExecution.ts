import type { IDataObject } from 'n8n-workflow';

import type { ItemImage, Start } from './start';
import type { SendOnceId, Workflow } from './workflow';

/** What n8n has in its database of an execution that can be retried. */
export interface StoredExecution {
	start: Start;
	/** With which it runs. */
	mode: 'webhook' | 'retry';
	sendOnceId: SendOnceId;
	/** n8n has stored nothing at its end. */
	isInterrupted?: true;
	hasRequested?: true;
	workflow: Workflow;
	/** The items of the trigger, which have no note yet, or the input of the node. */
	items: IDataObject[];
	isFromTrigger: boolean;
	round: number;
	/** JSON, and how many executions the log in it knows. */
	context: string;
	logged: number;
	/** What was reported in earlier rounds. */
	earlierRounds: { sent: ItemImage[]; changed: ItemImage[] };
}

/** The node's context, until an execution of the start ends. */
export const BEFORE_FIRST_END = '{}';

/** Whether what a retry has to know is not on record any more. docs/design/no-duplicate-sends.md names this limit. */
export function isTooLateToRetry({ start, context }: StoredExecution): boolean {
	return start.hasEnded && (context === BEFORE_FIRST_END || start.hasRunBesideRetry);
}

/** Whether the first node does not learn of what a new one has done. docs/design/no-duplicate-sends.md names this limit. */
export function isUnknownToFirstNode(stored: StoredExecution): boolean {
	const { start, mode, hasRequested } = stored;
	const isLost = mode === 'webhook' && start.hasNewNodeRun && !hasRequested;
	return !isReplacedIn(stored) && (start.hasNewNodeResent || isLost);
}

/** n8n itself continues no execution that failed in a node that is gone. */
export const isReplacedIn = ({ workflow, isFromTrigger }: StoredExecution) =>
	workflow.isReplaced && isFromTrigger;

export const hasNoLog = ({ start, logged }: StoredExecution) =>
	start.interruptions > 0 || start.executions > logged;

/** Whether neither ID nor image tells what an item without a log was before. docs/design/no-duplicate-sends.md names this limit. */
export function isOtherList(stored: StoredExecution): boolean {
	const { start, sendOnceId, workflow } = stored;
	return hasNoLog(stored) && start.areIdsNew(sendOnceId, workflow) && start.mayHaveOther(workflow);
}
