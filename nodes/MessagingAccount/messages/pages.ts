import { ApiError, InvalidInputError } from '../errors/errorClasses';
import type { ApiRequest, Read } from '../transport/request';
import { MAX_LIST_BYTES } from '../transport/responseBody';
import { readMessages } from '../transport/messageList';
import type { ListQuery } from './listQuery';
import { keyMessages, type IdField, type KeyedMessage } from './messageKey';

/** Without options, the request has only what docs/api.md specifies. @param index 0 for the first page, whatever its number */
export function createPageRequest({ query, paging }: ListQuery, index: number): ApiRequest {
	const pairs = [...query];
	if (paging) pairs.push([paging.parameter, String(paging.firstPage + index)]);
	const search = pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : '';
	return { method: 'GET', path: `/v1/messages${search}`, maxResponseBytes: MAX_LIST_BYTES };
}

/**
 * @param isProven whether the page has had messages before
 * @throws InvalidInputError if page 0 is empty or refused, but page 1 is not: the trigger would wait at it for ever
 */
export async function readFirstPage(listQuery: ListQuery, read: Read, isProven = false) {
	const page = await readPage(createPageRequest(listQuery, 0), read);
	if (listQuery.paging?.firstPage === 0 && !isProven && isMissing(page)) {
		const page1 = await readFurtherPage(createPageRequest(listQuery, 1), read);
		const reason = 'Page 0 has no messages, but page 1 has some';
		if (Array.isArray(page1) && page1.length > 0)
			throw new InvalidInputError(reason, "Enter 1 in 'Page Start'.");
	}
	if (page instanceof ApiError) throw page;
	return page;
}

/**
 * Reads further pages until they are enough, one cannot be read, one has nothing new, or the limit of pages is reached.
 * @param before the field of the stored keys, and these
 * @returns the pages in order, without messages of earlier ones, because the list may move meanwhile; and the error of one after them
 */
export async function readPages(
	firstPage: unknown[],
	listQuery: ListQuery,
	idField: IdField,
	read: Read,
	isEnough: (pages: KeyedMessage[][]) => boolean,
	before?: { idField: IdField; known: string[] },
) {
	const known = before && new Set(before.known);
	const isKnown = (key: string) => known?.has(key) ?? true;
	const toKeyed = (page: unknown[]) => keyMessages(page, idField, before?.idField, isKnown);
	const pages = [await toKeyed(firstPage)];
	const { paging } = listQuery;
	if (!paging || firstPage.length === 0) return { pages };
	const seen = new Set(pages[0].map(({ key }) => key));
	const readFurther = limitTogether(read);
	for (let index = 1; index < paging.maxPages && !isEnough(pages); index++) {
		const page = await readFurtherPage(createPageRequest(listQuery, index), readFurther);
		if (page instanceof ApiError) return { pages, error: page };
		const added = (await toKeyed(page)).filter(({ key }) => !seen.has(key));
		// Some services take page 0 for page 1.
		const mayBeFirst = page.length > 0 && paging.firstPage === 0 && index === 1;
		if (added.length > 0) pages.push(added);
		else if (!mayBeFirst) break;
		for (const { key } of added) seen.add(key);
	}
	return { pages };
}

/** Limits the responses of all requests together, because they are in memory at the same time. */
function limitTogether(read: Read): Read {
	let bytesLeft = 2 * MAX_LIST_BYTES;
	return async (request) => {
		const maxResponseBytes = Math.min(bytesLeft, MAX_LIST_BYTES);
		const response = await read({ ...request, maxResponseBytes });
		bytesLeft -= response.size;
		return response;
	};
}

/** Statuses with which services refuse a page before the first or after the last one. */
const NO_PAGE = ['400', '404', '416', '422'];

function isMissing(page: unknown[] | ApiError): boolean {
	if (!(page instanceof ApiError)) return page.length === 0;
	return NO_PAGE.includes(page.httpCode ?? '') && !page.details.isDisconnected;
}

/** Reads a page after the first one: empty if there is none, or the error if it cannot be read. */
export async function readFurtherPage(request: ApiRequest, read: Read) {
	const page = await readPage(request, read);
	return isMissing(page) ? [] : page;
}

const readPage = (request: ApiRequest, read: Read) =>
	read(request)
		.then(readMessages)
		.catch((error: Error) => {
			if (error instanceof ApiError) return error;
			throw error;
		});
