import { PNG } from 'pngjs';

import { ApiError } from '../../nodes/MessagingAccount/errors/errorClasses';
import { chooseIdField } from '../../nodes/MessagingAccount/events/newMessage/idField';
import type { ListQuery } from '../../nodes/MessagingAccount/messages/listQuery';
import { keyMessages, type IdField } from '../../nodes/MessagingAccount/messages/messageKey';
import { createPageRequest, readFurtherPage } from '../../nodes/MessagingAccount/messages/pages';
import type { Account } from '../../nodes/MessagingAccount/secrets/account';
import {
	STATUS_REQUEST,
	type ApiRequest,
	type Read,
} from '../../nodes/MessagingAccount/transport/request';
import { readStatus } from '../../nodes/MessagingAccount/transport/statusResponse';
import { describeError, type Finding } from './finding';
import { createListRead, LIST_REQUEST, readList } from './messageList';
import { describeMessages } from './messageReport';
import { describePaging, probePages, sharesNothing, type Page } from './pageProbe';

/** The usual name. Others are for the user to find in the service's documentation. */
const PAGE_PARAMETER = 'page';

/**
 * Asks a service what the nodes would ask it, except for sends, and describes what they make of it.
 *
 * @param pageParameter the name of the query parameter with the page
 * @param onRequest is told what is requested, e.g. the status
 * @returns at least a finding about the status and one about the messages; they contain no secret and nothing of a message
 */
export async function checkService(
	account: Account,
	read: Read,
	pageParameter = PAGE_PARAMETER,
	onRequest: (what: string) => void = () => {},
): Promise<Finding[]> {
	onRequest('the status');
	const status = await checkStatus(read);
	onRequest('the messages');
	const readLists = createListRead(read);
	const list = await readList(readLists).catch(asApiError);
	if (list instanceof ApiError) return [status, describeUnreadableList(list, status)];

	const findings = [status, ...describeMessages(list.messages, list.field, account)];
	if (list.messages.length === 0) return findings;
	onRequest('some pages');
	return [...findings, await checkPages(readLists, list.messages, pageParameter)];
}

function asApiError(error: unknown): ApiError {
	if (error instanceof ApiError) return error;
	throw error as Error;
}

async function checkStatus(read: Read): Promise<Finding> {
	const topic = 'Status';
	const response = await read(STATUS_REQUEST).then(readStatus).catch(asApiError);
	if (response instanceof ApiError)
		return { topic, sentences: describeError(response), obstacle: 'its status cannot be read' };
	const { status, qr } = response;
	if (status.is_connected === true) return { topic, sentences: ['Connected.'] };
	const withQr = (sentence: string) => [
		'The account is not connected: it waits for its QR scan.',
		sentence,
	];
	if (qr && !isPng(qr)) {
		const sentences = withQr('The picture of its QR code is not a valid PNG.');
		return { topic, sentences, obstacle: 'nobody can scan its QR code' };
	}
	const none = status.qr
		? 'The service gives the QR code as text: nobody can scan it in n8n.'
		: 'The service gives no QR code for it at the moment.';
	const shown = 'Its QR code is a valid PNG, which Get Status shows in n8n.';
	return { topic, sentences: withQr(qr ? shown : none), isNotable: true };
}

function isPng(file: Buffer): boolean {
	try {
		PNG.sync.read(file);
		return true;
	} catch {
		return false;
	}
}

function describeUnreadableList(error: ApiError, status: Finding): Finding {
	const sentences = describeError(error);
	const isSame = sentences.join() === status.sentences.join();
	const obstacle = 'its messages cannot be read';
	return {
		topic: 'Messages',
		sentences: isSame ? ['The same.'] : sentences,
		// A service may have no list of an account that is not connected.
		obstacle: status.isNotable ? `${obstacle} (connect the account, then check again)` : obstacle,
	};
}

/** @param messages of the list without a page */
async function checkPages(read: Read, messages: unknown[], parameter: string): Promise<Finding> {
	const { field } = chooseIdField(messages, '');
	const readKeys = async (request: ApiRequest): Promise<Page> => {
		const page = await readFurtherPage(request, read);
		return page instanceof ApiError ? page : await listKeys(page, field);
	};
	const listed = await listKeys(messages, field);
	// `createPageRequest` adds the number to the first one.
	const query: ListQuery = { query: [], paging: { parameter, firstPage: 0, maxPages: 3 } };
	const paging = await probePages(listed, (page) => readKeys(createPageRequest(query, page)));
	// Otherwise, a page has listed the same messages again.
	if (paging.kind === 'otherList' || paging.kind === 'refused') {
		if (sharesNothing(listed, await readKeys(LIST_REQUEST))) return CHANGING_MESSAGES;
	}
	return describePaging(paging, parameter);
}

async function listKeys(messages: unknown[], field: IdField): Promise<string[]> {
	return (await keyMessages(messages, field)).map(({ key }) => key);
}

const CHANGING_MESSAGES: Finding = {
	topic: 'Next poll',
	sentences: [
		'A second request for the list has none of the messages of the first one.',
		"If only their IDs differ, enter a field that stays the same in 'Message ID Field'.",
	],
	obstacle: 'New Message would start a workflow with every message at every poll',
};
