import { NotTriedError } from '../errors/errorClasses';
import { isLeft, mayHaveBeenSent, type RunResult } from '../errors/itemErrors';

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
	const notTried = errors.filter(({ error }) => error instanceof NotTriedError).length;
	const summary = `${outputs.length} items: ${counts.join(', ')}.`;
	if (notTried === 0) return summary;
	return `${summary} The service failed: ${notTried} ${notTried === 1 ? 'was' : 'were'} not tried.`;
}
