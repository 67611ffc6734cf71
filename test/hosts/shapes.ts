import type { Host } from './host';
import { format, last, respondWith } from './lists';

const omitsEmptyList: Host = {
	about: 'No list of messages while there is none, only one of contacts',
	existing: 0,
	perHour: 2,
	respond: (account) => ({
		body: {
			contacts: [{ id: 1 }],
			...(account.listed.length > 0 && { messages: last(account).map(format) }),
		},
	}),
};

const twoLists: Host = {
	about: 'A second list of users, also when there is no message',
	existing: 0,
	perHour: 3,
	respond: (account) => ({
		body: { users: [{ id: 1 }, { id: 2 }], messages: last(account).map(format) },
	}),
};

const wrapped: Host = {
	about: 'The list in a field, each message in another one',
	respond: (account) => ({
		body: { data: last(account).map((one) => ({ message: format(one) })) },
	}),
};

const wrappedTwice: Host = {
	about: 'The list two levels down',
	respond: (account) => ({
		body: { success: true, data: { items: last(account).map(format), total: 1 } },
	}),
};

const doubled: Host = {
	about: 'Each message is listed twice',
	burst: 120,
	respond: (account) => respondWith([...last(account), ...last(account)]),
};

const doubledOnce: Host = {
	about: 'One message is listed twice, once',
	burst: 180,
	respond(account) {
		const messages = last(account);
		return respondWith(account.minute % 350 < 3 ? [messages[0], ...messages] : messages);
	},
};

const doubledInListOf20: Host = {
	about: 'A list of 20, in which messages come up again some places later',
	perHour: 40,
	burst: 20,
	respond(account) {
		const messages = last(account, 20);
		for (const message of last(account, 20)) {
			const places = 2 + account.pick(5);
			if (account.chance(4)) messages.splice(messages.indexOf(message) + places, 0, message);
		}
		return respondWith(messages.slice(0, 20));
	},
};

export const shapes: Record<string, Host> = {
	omitsEmptyList,
	twoLists,
	wrapped,
	wrappedTwice,
	doubled,
	doubledOnce,
	doubledInListOf20,
};
