import { ApiError, NotTriedError } from '../errors/errorClasses';
import { isLeft, type ItemError, mayHaveBeenSent, type RunResult } from '../errors/itemErrors';
import { isOutage } from '../errors/outage';

/** Sums up a list, e.g. "20 items: 3 sent, 17 skipped, 0 failed." */
export function summarizeList({ outputs, errors, isDryRun }: RunResult): string {
	const allSkipped = outputs.flat().filter(({ json }) => json.skipped === true);
	const left = allSkipped.filter(isLeft).length;
	const skipped = allSkipped.filter((item) => !isLeft(item));
	const sent = outputs.length - allSkipped.length - errors.length;
	const doubt = (count: number, what: string) => (count > 0 ? ` (${count} ${what})` : '');
	const unclear = skipped.filter(({ json }) => json.delivery === 'unknown').length;
	const counts = [
		`${sent} ${isDryRun ? 'would be sent' : 'sent'}`,
		`${skipped.length} skipped${doubt(unclear, 'may not have been sent')}`,
		`${errors.length} failed${doubt(errors.filter(mayHaveBeenSent).length, 'may have been sent')}`,
	];
	if (left > 0) counts.push(`${left} left`);
	const notTried = errors.map(({ error }) => error).filter((one) => one instanceof NotTriedError);
	const summary = `${outputs.length} items: ${counts.join(', ')}.`;
	if (notTried.length === 0) return summary;
	// E.g. 3 to 5 failed, and 6 to 99 were not tried: “from item 3 on”, unless later ones were sent. The first item may be of another round.
	const firstOnes = new Set(notTried.map(({ firstItem }) => firstItem));
	const isFirst = ({ itemIndex, error }: ItemError) =>
		firstOnes.has(itemIndex) && error instanceof ApiError && isOutage(error);
	const first = Math.min(...errors.filter(isFirst).map(({ itemIndex }) => itemIndex));
	const goesOn = outputs
		.slice(first)
		.some((items) => items.some(({ json }) => json.skipped !== true));
	const since = goesOn ? `first at item ${first}` : `from item ${first} on`;
	const where = first < Infinity ? since : 'before';
	return `${summary} The service failed ${where}: ${notTried.length} ${notTried.length === 1 ? 'was' : 'were'} not tried.`;
}
