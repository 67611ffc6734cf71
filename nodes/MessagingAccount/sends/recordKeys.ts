import type { INode } from 'n8n-workflow';

import { hash } from '../shared/hash';
import type { Attempt } from './attempt';

/** The state of an attempt on record. */
export type Mark = 'begun' | 'sent' | 'notSent';

/** A place on record: the number of an attempt in a series of its execution. A series has no gaps. */
export interface Place {
	execution: number;
	/** The recipient, or the recipient and the content. */
	series: string;
	number: number;
}

/** The number of an execution's first attempt at a recipient in the series of its content: its end is on record only in the other one. */
export const FIRST = -1;

export function toContentSeries({ recipient, content }: Attempt): string {
	return `${recipient}.${content}`;
}

/** Returns the places of an attempt; none if it is not on record. */
function toPlaces(attempt: Attempt): Place[] {
	if (!attempt.entry) return [];
	const { execution, nth, copy } = attempt.entry;
	return [
		{ execution, series: attempt.recipient, number: nth },
		{ execution, series: toContentSeries(attempt), number: copy },
	];
}

/** Creates the keys of an execution and its retries. */
export class RecordKeys {
	constructor(
		private readonly node: INode,
		private readonly origin: string,
	) {}

	/** The key that each call of a look-up adds, and removes with those that were not there: if n8n stops meanwhile, all of them stay. */
	readonly lookUp = () => this.create('look-up');
	/** The key without the ID of the node, which changes if the node is deleted and pasted back. */
	readonly name = () => [hash(this.node.name), this.origin, 'name'].join(':');
	readonly execution = (number: number) => this.create('execution', number);
	/** The key that is there while the execution may send: a later one removes it. */
	readonly owner = (number: number) => this.create('owner', number);
	/**
	 * The owner and, before it, a witness. Each write adds both again, and another process can only overwrite or write back both. So
	 * where only the owner is missing, a later execution has removed it. A look-up of that execution could be written back.
	 */
	readonly owners = (number: number) => [this.create('witness', number), this.owner(number)];
	/** The key that is there if the execution is no retry, although there was an equal one before. */
	readonly fresh = (number: number) => this.create('fresh', number);
	/** The key that is there if a run of the node has put something on record. */
	readonly run = (number: number, run: number) => this.create('run', number, run);
	readonly place = (mark: Mark, { execution, series, number }: Place) =>
		this.create(mark, execution, series, number);
	readonly of = (mark: Mark, attempts: Attempt[]) =>
		attempts.flatMap((one) => {
			const [nth, copy] = toPlaces(one);
			const places = mark === 'begun' ? [nth, copy] : copy?.number === FIRST ? [nth] : [copy];
			if (mark === 'notSent' && nth?.number > 0) places.push(nth);
			return places.filter(Boolean).map((place) => this.place(mark, place));
		});

	private create(...parts: Array<string | number>): string {
		return [this.node.id, this.origin, ...parts].join(':');
	}
}
