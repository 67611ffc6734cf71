import type { Send } from './send';

/** Where an attempt is on record. */
export interface RecordPlace {
	/** The number of the execution among those that retry one another. */
	execution: number;
	/** Its number, from 0, among those at its recipient, among those with its content and, if there is a limit, among all. */
	numbers: number[];
}

/** The state of an attempt on record. Only its recipient's series shows whether it has an ID. */
export type Mark = 'begun' | 'begunWithId' | 'sent' | 'notSent';

export const toBegunMark = ({ idHash }: Pick<Send, 'idHash'>) =>
	idHash === undefined ? 'begun' : 'begunWithId';

/** The marks of attempts, by series: a recipient, or a recipient and a content. */
export type Marks = Map<string, Mark[]>;

export const toContentSeries = (one: Pick<Send, 'recipientHash' | 'content'>) =>
	`${one.recipientHash}.${one.content}`;
