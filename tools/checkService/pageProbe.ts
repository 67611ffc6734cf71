import type { ApiError } from '../../nodes/MessagingAccount/errors/errorClasses';
import { describeError, type Finding } from './finding';

/** What the service makes of a page parameter. */
export type Paging =
	/** `size` is the number of messages on the first page. */
	| { kind: 'pages'; start: number; size: number; hasMore: boolean }
	/** The same list for each number. */
	| { kind: 'ignored' }
	/** No list for any number. */
	| { kind: 'refused' }
	/** Pages, but their first one is not the list without a page. */
	| { kind: 'otherList' }
	| { kind: 'notKnown'; page: number; error: ApiError };

/** The keys of its messages, none if there is no such page, or why it cannot be read. */
export type Page = string[] | ApiError;

/**
 * Finds out what the service makes of a page parameter, with two or three requests. The list may change meanwhile, so two pages
 * count as the same one if they share most messages.
 *
 * @param listed the keys of the messages that are listed without a page
 */
export async function probePages(
	listed: string[],
	readPage: (page: number) => Promise<Page>,
): Promise<Paging> {
	const zero = await readPage(0);
	const one = await readPage(1);
	// Page 0 may be an error where pages count from 1.
	const start = [zero, one].findIndex((page) => isPartOf(page, listed));
	if (start === -1) {
		if (!Array.isArray(zero)) return { kind: 'notKnown', page: 0, error: zero };
		if (!Array.isArray(one)) return { kind: 'notKnown', page: 1, error: one };
		return { kind: zero.length + one.length > 0 ? 'otherList' : 'refused' };
	}
	// If pages 0 and 1 are the same, 0 stands for 1, or the service has no pages.
	const isFromZero = start === 0 && !isPartOf(one, zero as string[]);
	const first = isFromZero ? 0 : 1;
	const size = new Set((first === 0 ? zero : one) as string[]).size;
	const next = isFromZero ? one : await readPage(2);
	if (!Array.isArray(next)) return { kind: 'notKnown', page: first + 1, error: next };
	if (!isFromZero && isPartOf(next, one as string[])) return { kind: 'ignored' };
	return { kind: 'pages', start: first, size, hasMore: next.length > 0 };
}

function isPartOf(page: Page, list: string[]): boolean {
	if (!Array.isArray(page) || page.length === 0) return false;
	const keys = new Set(list);
	return page.filter((key) => keys.has(key)).length * 2 >= page.length;
}

/** Whether two requests for the same list have no message in common. */
export function sharesNothing(list: string[], again: Page): boolean {
	if (!Array.isArray(again) || again.length === 0) return false;
	const keys = new Set(list);
	return !again.some((key) => keys.has(key));
}

/** Describes what to set in the nodes, or why nothing. @param parameter the name of the query parameter with the page */
export function describePaging(paging: Paging, parameter: string): Finding {
	const name = `'${parameter}'`;
	return { topic: 'Pages', ...describe(paging, name) };
}

function describe(paging: Paging, name: string): Omit<Finding, 'topic'> {
	const other =
		'If your service documents another name, add --page-parameter NAME to this command.';
	switch (paging.kind) {
		case 'ignored':
			return { sentences: [`None with ${name}: each number gives the same list.`, other] };
		case 'refused':
			return { sentences: [`None with ${name}: no number gives a list.`, other] };
		case 'otherList': {
			const what = `${name} gives other messages than the list without it, perhaps the oldest first.`;
			const advice = "Leave 'Page Parameter' empty: its first page must have the newest messages.";
			return { sentences: [what, advice], isNotable: true };
		}
		case 'notKnown': {
			const what = `Not known, as page ${paging.page} cannot be read.`;
			return { sentences: [what, ...describeError(paging.error)], isNotable: true };
		}
		case 'pages': {
			const { start, size, hasMore } = paging;
			const more = hasMore ? 'and there are more' : 'and no more pages so far';
			return {
				sentences: [`${name} counts pages from ${start}: the first one has ${size}, ${more}.`],
				settings: [`'Page Parameter' to ${name}`, `'Page Start' to ${start}`],
			};
		}
	}
}
