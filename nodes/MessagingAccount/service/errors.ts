import { outcomeOf, type Delivery, type Ending, type Outcome } from './outcomes';

/** Something the user entered cannot be used. Nothing was requested. */
export class InvalidInput extends Error {
	constructor(
		message: string,
		readonly description: string,
	) {
		super(message);
	}
}

/** A request was made, or may have been by an earlier try, and did not end in a usable answer. */
export class ServiceFailure extends Error {
	readonly description: string;
	/** Of the answer, where one came. */
	readonly httpCode?: string;
	/** ms that the service asks to wait, where it does. */
	readonly retryAfter?: number;
	/** How it ended in a word or two, for whoever has to be told again later. */
	readonly reason: string;
	/** What the outcome is if the request was a send. */
	delivery: Delivery;
	/** Which requests are worth another try after this. */
	readonly tryAgain: Outcome['tryAgain'];
	/** Sentences that belong behind the description: what happened around the request. */
	readonly notes: string[] = [];

	constructor(message: string, { description, ending }: { description: string; ending: Ending }) {
		super(message);
		this.description = description;
		const { delivery, tryAgain } = outcomeOf(ending);
		this.delivery = delivery === 'done' ? 'unknown' : delivery;
		this.tryAgain = tryAgain;
		if (ending === 'unusable') {
			this.reason = 'an answer that could not be used';
		} else if ('status' in ending) {
			this.httpCode = String(ending.status);
			this.retryAfter = ending.retryAfter;
			this.reason = `HTTP ${ending.status}`;
		} else {
			this.reason = ending.code ?? 'no answer';
		}
	}

	/** All that is to be said under the message. */
	get details(): string {
		return [this.description, ...this.notes].join(' ');
	}
}
