import type { IDataObject } from 'n8n-workflow';

/**
 * Compares what the node says about each row with what the service did.
 *
 * @param rows output, in the order of the numbers: of the retry, or of the execution itself if that had ended
 * @param messages how many messages the service has sent, by number
 */
export function judge(numbers: string[], rows: IDataObject[], messages: Map<string, number>) {
	const all = numbers.map((number, i) => ({
		sent: messages.get(number) ?? 0,
		said: readRow(number, rows[i]),
	}));
	const count = (isSo: (one: (typeof all)[0]) => boolean) => all.filter(isSo).length;
	return {
		/** How many people have more than one message. */
		twice: count(({ sent }) => sent > 1),
		/** How many people have no message, and no row says so; or have no row at all. */
		lost: count(({ sent, said }) => said === 'nothing' || (said === 'sent' && sent === 0)),
		/** How many rows say that nothing was sent. No request failed, so there must be none. */
		notSent: count(({ said }) => said === 'notSent'),
		/** How many rows say that a message may have been sent. */
		unknown: count(({ said }) => said === 'unknown'),
	};
}

/** The id that the service gives to the message to a number. */
export const idOf = (number: string): string => `m${number}`;

function readRow(number: string, row: IDataObject = {}) {
	if (row.id === idOf(number) || (row.id === null && row.sent === true)) return 'sent';
	const delivery = (row.error as IDataObject | undefined)?.delivery;
	return delivery === 'unknown' || delivery === 'notSent' ? delivery : 'nothing';
}
