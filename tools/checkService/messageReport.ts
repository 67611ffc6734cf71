import { chooseIdField } from '../../nodes/MessagingAccount/events/newMessage/idField';
import { listPlainFields } from '../../nodes/MessagingAccount/shared/fields';
import { createIdReader, type IdField } from '../../nodes/MessagingAccount/messages/messageKey';
import {
	findListOrder,
	findOrderById,
	type ListOrder,
} from '../../nodes/MessagingAccount/messages/messageOrder';
import type { Account } from '../../nodes/MessagingAccount/secrets/account';
import { isMutableName, isTimeName } from '../../nodes/MessagingAccount/shared/names';
import { isHidden, showName } from './fieldName';
import type { Finding } from './finding';

/** With fewer messages, what they have in common may be chance. */
const ENOUGH_MESSAGES = 10;

/**
 * Describes a list of messages as the nodes see it. Shows names of fields, but nothing that a message contains.
 *
 * @param field of the response that has the list; undefined if the list is the response itself
 */
export function describeMessages(
	messages: unknown[],
	field: string | undefined,
	account: Account,
): Finding[] {
	if (messages.length === 0) {
		const sentences = ['The list is empty. Send a message to the account, then check again.'];
		return [{ topic: 'Messages', sentences, isNotable: true }];
	}
	const { field: idField } = chooseIdField(messages, '');
	return [
		describeList(messages, field, account),
		describeIds(messages, idField, account),
		describeOrder(messages, account),
		describeTimes(messages, account),
		describeFields(messages, account),
	];
}

function describeList(messages: unknown[], field: string | undefined, account: Account): Finding {
	const where =
		field === undefined
			? 'in a bare list'
			: `in the field '${showName(field, account)}' of an object`;
	const sentences = [`${count(messages.length, 'message')}, ${where}.`];
	const isShort = messages.length < ENOUGH_MESSAGES;
	if (isShort) sentences.push('Check again when there are more: what follows is surer then.');
	if (messages.some((message) => typeof message !== 'object' || message === null)) {
		sentences.push("Plain values among them: an item holds such a message in its field 'value'.");
	}
	return { topic: 'Messages', sentences, isNotable: isShort };
}

function describeIds(messages: unknown[], field: IdField, account: Account): Finding {
	const topic = 'Message ID';
	if (field === '') {
		return { topic, sentences: describeMissingIds(messages, account), isNotable: true };
	}
	const names = field.split(',').map((path) => `'${showName(path, account)}'`);
	const readId = createIdReader(field);
	const withoutId = messages.filter((message) => readId(message) === undefined).length;
	const where = names.length === 1 ? names[0] : `${names.join(' and ')} together`;
	const sentences = [`In ${where}. New Message finds this without 'Message ID Field'.`];
	if (names.length > 1) {
		sentences.push(`${names.at(-1)} alone may not be unique: it may count per chat, for example.`);
	}
	if (withoutId > 0) {
		sentences.push(
			`Without an ID: ${count(withoutId, 'message')}. New Message knows these by their whole content.`,
		);
	}
	return { topic, sentences, isNotable: withoutId > 0 };
}

function describeMissingIds(messages: unknown[], account: Account): string[] {
	const sentences = [
		'No usual field has one, so New Message knows a message by its whole content.',
		'A message that changes then starts the workflow again, and of two equal ones only one does.',
	];
	const possible = findPossibleIds(messages).filter((path) => !isHidden(path, account));
	sentences.push(
		possible.length > 0
			? `If one of these is the ID, enter it in 'Message ID Field': ${possible.join(', ')}.`
			: "If some field has the ID all the same, enter it in 'Message ID Field'.",
	);
	return sentences;
}

/** Finds the fields with another value in each message, each a single word, that change neither later nor with the time. */
function findPossibleIds(messages: unknown[]): string[] {
	return listPaths(messages).filter((path) => {
		const name = path.split('.').at(-1)!;
		if (isTimeName(name) || isMutableName(name)) return false;
		const ids = messages.map(createIdReader(path));
		return (
			ids.every((id) => id !== undefined && !/\s/.test(id)) && new Set(ids).size === messages.length
		);
	});
}

function describeOrder(messages: unknown[], account: Account): Finding {
	const topic = 'Order';
	const { byTime } = findListOrder(messages);
	if (byTime) return describeOrderBy(byTime, 'times', account);
	const byId = findOrderById(messages);
	if (byId) return describeOrderBy(byId, 'numbers', account);
	const sentences = [
		'Not known: neither times nor counted IDs tell it.',
		'New Message finds it out while messages come. The first ones may come out in the order of the list.',
	];
	return { topic, sentences, isNotable: true };
}

function describeOrderBy(
	{ field, order }: ListOrder,
	kind: 'times' | 'numbers',
	account: Account,
): Finding {
	const by = `the ${kind} in '${showName(field, account)}'`;
	if (order === 0) {
		const sentences = [`Not clear from ${by}. New Message finds it out while messages come.`];
		return { topic: 'Order', sentences, isNotable: true };
	}
	const sentence = `The ${order > 0 ? 'newest' : 'oldest'} first, as ${by} tell.`;
	return { topic: 'Order', sentences: [sentence] };
}

function describeTimes(messages: unknown[], account: Account): Finding {
	const topic = 'Time';
	const { byTime, order } = findListOrder(messages);
	const takes = `'Limit' of Get Messages takes the ${order > 0 ? 'first' : 'last'} ones of the list.`;
	if (!byTime) return { topic, sentences: [`No field has it: ${takes}`], isNotable: true };
	const where = `In '${showName(byTime.field, account)}'`;
	return messages.every((message) => byTime.read(message) !== undefined)
		? { topic, sentences: [`${where}: 'Limit' of Get Messages takes the newest ones.`] }
		: { topic, sentences: [`${where}, but not in every message: ${takes}`], isNotable: true };
}

function describeFields(messages: unknown[], account: Account): Finding {
	const names = listPaths(messages).filter((path) => !isHidden(path, account));
	const sentence =
		names.length > 0
			? `For 'Only Messages Where': ${names.join(', ')}.`
			: "None that 'Only Messages Where' could compare.";
	return { topic: 'Fields', sentences: [sentence] };
}

function listPaths(messages: unknown[]): string[] {
	return [
		...new Set(messages.flatMap((message) => listPlainFields(message).map(([path]) => path))),
	];
}

function count(n: number, noun: string): string {
	return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
