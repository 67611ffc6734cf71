import type { INode } from 'n8n-workflow';

import type { ProcessedData } from '../n8n/processedData';
import { hash } from '../shared/hash';
import { type Attempt, type Mark, type Marks, type Send, toContentSeries } from './attempt';
import type { SendLog } from './sendLog';

const BEGINS = ['begun', 'begunWithId'] as const;

const ENDS = ['sent', 'notSent'] as const;

/** A place on record: the number of an attempt in a series of its execution. A series has no gaps. */
interface Place {
	execution: number;
	/** The recipient, or the recipient and the content. */
	series: string;
	number: number;
}

export type RecordKeys = ReturnType<typeof createRecordKeys>;

/**
 * Creates the functions that make the keys of an execution and its retries. @param origin what these have in common
 * @param equal the names of all nodes that may send in them
 */
export function createRecordKeys({ id, name }: INode, origin: string, equal: string[]) {
	const create = (...parts: Array<string | number>) => [id, origin, ...parts].join(':');
	const owner = (number: number) => create('owner', number);
	const place = (mark: Mark, { execution, series, number }: Place) =>
		create(mark, execution, series, number);
	return {
		/** Added by each call of a look-up, and removed with the keys that were not there. If it stays, a look-up was interrupted. */
		lookUp: create('look-up'),
		/**
		 * Keys without the ID of the node, which changes if the node is deleted and pasted back: of its name, of any node that sends in these
		 * executions, and of all nodes that may.
		 */
		nodes: [
			[hash(name), origin, 'name'].join(':'),
			[origin, 'any'].join(':'),
			[origin, 'nodes', hash(equal.join())].join(':'),
		],
		execution: (number: number) => create('execution', number),
		/** The key that is there while the execution may send: a later one removes it. */
		owner,
		/**
		 * The owner and, before it, a witness. Each write adds both again, and another process can only overwrite or write back both. So
		 * where only the owner is missing, a later execution has removed it. A look-up of that execution could be written back.
		 */
		owners: (number: number) => [create('witness', number), owner(number)],
		/** The key that is there if the execution is no retry, although there was an equal one before. */
		fresh: (number: number) => create('fresh', number),
		/** The key that is there if a run of the node has put something on record. */
		run: (number: number, run: number) => create('run', number, run),
		place,
		of: (mark: Mark, attempts: Attempt[]) =>
			attempts.flatMap((one) => {
				if (!one.entry) return [];
				const { execution, nth, copy } = one.entry;
				const first = { execution, series: one.recipient, number: nth };
				const second = { execution, series: toContentSeries(one), number: copy };
				const beginsWithId = mark === 'begun' && one.idHash !== undefined;
				// Only a message with the same content counts as sent.
				const ofRecipient =
					mark === 'sent' ? [] : [place(beginsWithId ? 'begunWithId' : mark, first)];
				return [...ofRecipient, place(mark, second)];
			}),
	};
}

/** Returns the marks of attempts in executions that the log does not know, at the recipients of some sends, and with each content. */
export async function readMarks(
	sends: Send[],
	log: SendLog,
	data: ProcessedData,
	keys: RecordKeys,
): Promise<Marks> {
	const toPlaces = (series: Set<string>, number: number): Place[] =>
		log.stored.unknownExecutions.flatMap((execution) =>
			Array.from(series, (one) => ({ execution, series: one, number })),
		);
	const readPlaces = async (places: Place[]) => {
		const toKeys = (mark: Mark, some: Place[]) => some.map((one) => keys.place(mark, one));
		const asked = BEGINS.flatMap((mark) => toKeys(mark, places));
		const begun = await data.find(asked, keys.lookUp);
		const beginOf = (place: Place) => BEGINS.find((mark) => begun.has(keys.place(mark, place)));
		const found = places.filter(beginOf);
		const ends = ENDS.flatMap((mark) => toKeys(mark, found));
		const ended = await data.find(ends, keys.lookUp);
		// After an interrupted look-up, they do not show how an attempt has ended.
		if (ended.has(keys.lookUp)) ended.clear();
		const markOf = (place: Place) => ENDS.find((mark) => ended.has(keys.place(mark, place)));
		return new Map<Place, Mark>(found.map((place) => [place, markOf(place) ?? beginOf(place)!]));
	};
	const readSeries = async (series: Set<string>) => {
		const marks: Marks = new Map([...series].map((one) => [one, []]));
		let open = toPlaces(series, 0);
		for (let first = 0, count = 1; open.length > 0; first += count, count *= 2) {
			const numbers = Array.from({ length: count }, (_, i) => first + i);
			const blocks = open.map((one) => numbers.map((number) => ({ ...one, number })));
			const found = await readPlaces(blocks.flat());
			for (const [place, mark] of found) marks.get(place.series)!.push(mark);
			open = open.filter((_, i) => found.has(blocks[i][count - 1]));
		}
		return marks;
	};

	const recipients = new Set(sends.map(({ recipient }) => recipient));
	const logged = [...recipients].flatMap((recipient) => log.attemptsAt(recipient));
	const contents = [...sends, ...logged].map(toContentSeries);
	return await readSeries(new Set([...recipients, ...contents]));
}
