import type { INodeExecutionData } from 'n8n-workflow';

import { type ItemError, mayHaveBeenSent } from '../errors/errorDetails';

/**
 * Sums up the items of a list, e.g. "20 items: 3 sent, 17 skipped, 0 failed."
 *
 * @param outputs the output items of each input item: none if it failed
 */
export function summarizeList(
	outputs: INodeExecutionData[][],
	errors: ItemError[],
	isDryRun: boolean,
): string {
	const skipped = outputs.flat().filter(({ json }) => json.skipped === true);
	const sent = outputs.length - skipped.length - errors.length;
	const doubt = (count: number, what: string) => (count > 0 ? ` (${count} ${what})` : '');
	const unclear = skipped.filter(({ json }) => json.delivery === 'unknown').length;
	const counts = [
		`${sent} ${isDryRun ? 'would be sent' : 'sent'}`,
		`${skipped.length} skipped${doubt(unclear, 'may not have been sent')}`,
		`${errors.length} failed${doubt(errors.filter(mayHaveBeenSent).length, 'may have been sent')}`,
	];
	return `${outputs.length} items: ${counts.join(', ')}.`;
}
