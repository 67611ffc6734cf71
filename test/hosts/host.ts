import type { IDataObject } from 'n8n-workflow';

import type { Script } from '../support/scriptedServer';
import type { Account } from './account';

/** A kind of service, as the trigger sees it. */
export interface Host {
	/** What is special about it, in a few words. */
	about: string;
	/** The trigger's options. */
	options?: IDataObject;
	/** Number of messages before the first poll; 30 by default. */
	existing?: number;
	/** How many messages come in an hour, on average; 20 by default. */
	perHour?: number;
	/** How many come at once now and then, at most; 60 by default. */
	burst?: number;
	/** Minutes between two polls; 6 by default. */
	interval?: number;
	/** What happens on the account before a poll, besides the messages that come. */
	live?(account: Account): void;
	/** Responds to a request for the list: each message with its text. Without a page parameter, the page is 0. */
	respond(account: Account, page: number): Script;
	/** What the trigger cannot do at such a host, and how the user is told. */
	limit?: { about: string; allows: Partial<Record<Fault, Bound>> };
}

/**
 * How much of a fault a run may have, whatever its length: below 1 a share of the new messages, for `falseGaps` of the polls; from 1
 * on a number, for faults of the first hours; or a number that depends on how many messages were new.
 */
export type Bound = number | ((newMessages: number) => number);

/** What the soak counts. The last one does no harm. */
export type Fault = 'untold' | 'passedOver' | 'twice' | 'old' | 'outOfOrder' | 'falseGaps';
