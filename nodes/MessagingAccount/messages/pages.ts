import { ApiError } from '../errors/apiError';
import type { ApiRequest, Read } from '../transport/request';
import { MAX_LIST_BYTES } from '../transport/responseBody';
import { readMessages } from '../transport/responses';
import type { ListQuery } from './listOptions';

/**
 * Creates the request for a page of the list. Without paging it contains nothing but what docs/api.md specifies.
 *
 * @param index 0 for the first page, whatever its number
 */
export function createPageRequest({ query, paging }: ListQuery, index: number): ApiRequest {
	const pairs = [...query];
	if (paging) pairs.push([paging.parameter, String(paging.firstPage + index)]);
	const search = pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : '';
	return { method: 'GET', path: `/v1/messages${search}`, maxResponseBytes: MAX_LIST_BYTES };
}

export interface Pages {
	/** In the service's order, without messages of earlier pages: the list may move while it is read. */
	pages: unknown[][];
	/** Whether the list ended: no page follows the last one. */
	isComplete: boolean;
}

/**
 * Reads further pages until they are enough, or a page is empty or contains nothing new.
 *
 * @param getKey identifies a message
 * @param isEnough called with the pages so far
 * @throws ApiError
 */
export async function readPages(
	firstPage: unknown[],
	listQuery: ListQuery,
	{
		read,
		getKey,
		isEnough,
	}: {
		read: Read;
		getKey: (message: unknown) => string;
		isEnough: (pages: unknown[][]) => boolean;
	},
): Promise<Pages> {
	const pages = [firstPage];
	if (firstPage.length === 0) return { pages, isComplete: true };
	if (!listQuery.paging) return { pages, isComplete: false };
	const seen = new Set(firstPage.map(getKey));
	while (pages.length < listQuery.paging.maxPages && !isEnough(pages)) {
		const page = await readNextPage(createPageRequest(listQuery, pages.length), read);
		if (page.length === 0) return { pages, isComplete: true };
		const newOnPage = page.filter((message) => !seen.has(getKey(message)));
		if (newOnPage.length === 0) break;
		pages.push(newOnPage);
		for (const message of newOnPage) seen.add(getKey(message));
	}
	return { pages, isComplete: false };
}

/** Reads a page after the first one. Some hosts respond with 404 after the last page. */
async function readNextPage(request: ApiRequest, read: Read): Promise<unknown[]> {
	try {
		return readMessages(await read(request));
	} catch (error) {
		if (error instanceof ApiError && error.httpCode === '404') return [];
		throw error as Error;
	}
}
