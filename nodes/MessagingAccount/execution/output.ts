import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { ApiError, NotTriedError } from '../errors/errorClasses';
import { isLeft, type ItemError, mayHaveBeenSent, type RunResult } from '../errors/errorDetails';
import { isOutage } from '../errors/outage';

/** What this node says of an item. From an earlier run, e.g. in a sheet, it must not stand beside what this one says. */
const RESULTS: Array<[field: RegExp, value: RegExp]> = [
	[/^(skipped|sent|dryRun)$/, /^(true|1)$/i],
	[/^delivery$/, /^(unknown|notSent)$/],
	[/^reason$/, /^(id|limit|changed)$/],
	[/^error$/, /\[object Object\]|The image (was not|may have been) sent/],
];
const isResult = (name: string, value: unknown) =>
	RESULTS.some(([field, said]) => field.test(name) && said.test(String(value)));

/**
 * Adds the fields of the input to the output items of a send. All items get the same fields of the node's own, whatever their result and
 * run, with null in place of a missing one: n8n's table would show "undefined" there. @param items each paired with its input item
 * @example of { name: 'Ann' }, { name: 'Bob', skipped: true }, and the results { id: 'm' }, { skipped: true, reason: 'id' }, it makes
 * // { name: 'Ann', id: 'm', skipped: null, reason: null }, { name: 'Bob', id: null, skipped: true, reason: 'id' }
 */
export function withInputFields(items: INodeExecutionData[], context: IExecuteFunctions) {
	const input = context.getInputData();
	const hasErrorOutput = context.getNode().onError === 'continueErrorOutput';
	const mayHaveErrors = context.continueOnFail() && !hasErrorOutput;
	// n8n itself merges the input into items with nothing but an error, and needs them like that to route them.
	const isRouted = ({ json }: INodeExecutionData) => hasErrorOutput && json.error !== undefined;
	const names = items.flatMap((item) => (isRouted(item) ? [] : Object.keys(item.json)));
	const isDryRun = items.some(({ json }) => json.dryRun === true);
	const own = [...(isDryRun ? [] : ['id']), ...(mayHaveErrors ? ['error'] : []), ...names];
	const empty: IDataObject = Object.fromEntries(own.map((name) => [name, null]));
	return items.map((item) => {
		if (isRouted(item)) return item;
		const { json: entered } = input[(item.pairedItem as { item: number }).item];
		const json = Object.fromEntries(
			Object.entries(entered).map(([name, value]) => [name, isResult(name, value) ? null : value]),
		);
		// A dry run has fields that are named like those of the input: null must not hide an entered value.
		const before = isDryRun ? { ...empty, ...json } : { ...json, ...empty };
		return { ...item, json: { ...before, ...item.json } };
	});
}

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
