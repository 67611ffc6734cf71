import type { IDataObject } from 'n8n-workflow';

/**
 * Compares what the node says about each row with what the service did.
 *
 * @param list recipients and output, in order: of the retry, or of the execution itself if that had ended
 * @param messages how many messages the service has sent, by number
 */
export function judge(
	{ numbers, rows }: { numbers: string[]; rows: IDataObject[] },
	messages: Map<string, number>,
) {
	const verdict = {
		/** How many people have more than one message. */
		twice: 0,
		/** How many people have no message, and no row says so; or have no row at all. */
		lost: 0,
		/** How many rows say that nothing was sent. No request failed, so there must be none. */
		notSent: 0,
		/** How many rows say that a message may have been sent. */
		unknown: 0,
	};
	for (const [i, number] of numbers.entries()) {
		const count = messages.get(number) ?? 0;
		const said = readRow(number, rows[i]);
		if (count > 1) verdict.twice++;
		if (said === 'nothing' || (said === 'sent' && count === 0)) verdict.lost++;
		if (said === 'notSent' || said === 'unknown') verdict[said]++;
	}
	return verdict;
}

/** The id that the service gives to the message to a number. */
export const idOf = (number: string): string => `m${number}`;

function readRow(number: string, row: IDataObject | undefined) {
	if (row?.id === idOf(number) || (row?.id === null && row.sent === true)) return 'sent';
	const delivery = (row?.error as IDataObject | undefined)?.delivery;
	return delivery === 'unknown' || delivery === 'notSent' ? delivery : 'nothing';
}
