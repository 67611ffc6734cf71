import { readMessages } from '../service/answers';
import { LARGEST_LIST_BYTES } from '../service/body';
import { ServiceFailure } from '../service/errors';
import type { Read, ServiceRequest } from '../service/request';
import type { Listing } from './listOptions';

/**
 * The request for a page of the list. Without paging nothing is asked for that the document does not show.
 *
 * @param index 0 for the first one, whatever its number is
 */
export function requestOfPage({ query, paging }: Listing, index: number): ServiceRequest {
	const pairs = [...query];
	if (paging) pairs.push([paging.parameter, String(paging.firstPage + index)]);
	const search = pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : '';
	return { method: 'GET', path: `/v1/messages${search}`, largestAnswer: LARGEST_LIST_BYTES };
}

export interface Pages {
	/** As the service lists them; without what an earlier page had, because lists move on while they are read. */
	pages: unknown[][];
	/** Did the list end? Then there is nothing behind the last page. */
	isComplete: boolean;
}

/**
 * Reads further pages, until there is enough of them, or one is empty, or brings only what earlier ones brought.
 *
 * @param keyOf tells messages apart
 * @param isEnough asked with the pages so far
 * @throws ServiceFailure
 */
export async function readPages(
	firstPage: unknown[],
	listing: Listing,
	{
		read,
		keyOf,
		isEnough,
	}: {
		read: Read;
		keyOf: (message: unknown) => string;
		isEnough: (pages: unknown[][]) => boolean;
	},
): Promise<Pages> {
	const pages = [firstPage];
	if (firstPage.length === 0) return { pages, isComplete: true };
	if (!listing.paging) return { pages, isComplete: false };
	const seen = new Set(firstPage.map(keyOf));
	while (pages.length < listing.paging.maxPages && !isEnough(pages)) {
		const page = await readBehind(requestOfPage(listing, pages.length), read);
		if (page.length === 0) return { pages, isComplete: true };
		const others = page.filter((message) => !seen.has(keyOf(message)));
		if (others.length === 0) break;
		pages.push(others);
		for (const message of others) seen.add(keyOf(message));
	}
	return { pages, isComplete: false };
}

/** A page behind the first one: some hosts answer 404 behind the last. */
async function readBehind(request: ServiceRequest, read: Read): Promise<unknown[]> {
	try {
		return readMessages(await read(request));
	} catch (error) {
		if (error instanceof ServiceFailure && error.httpCode === '404') return [];
		throw error as Error;
	}
}
