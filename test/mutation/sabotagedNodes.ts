import { ApiError } from '../../nodes/MessagingAccount/errors/errorClasses';
import type * as triggerNode from '../../nodes/MessagingAccount/MessagingAccountTrigger.node';
import type * as requests from '../../nodes/MessagingAccount/transport/request';
import type * as waiting from '../support/waitUntil';

type ServiceClient = requests.ServiceClient;
type Request = (
	this: ServiceClient,
	...args: Parameters<ServiceClient['request']>
) => ReturnType<ServiceClient['request']>;

const NODES = '../../nodes/MessagingAccount';

/** One of those in sabotage.ts. */
const sabotage = process.env.TEST_SABOTAGE ?? 'none';

/** What takes the place of the request of a send. Reads stay as they are. */
const SENDS: Record<string, (request: Request) => Request> = {
	sendsNothing: () =>
		async function (_request, _timeout, itemIndex) {
			return { body: { id: 'made-up' }, size: 0, account: await this.getAccount(itemIndex) };
		},
	saysUnknown: () => async () => {
		throw new ApiError('No response', { description: '', result: { code: undefined } });
	},
	// The node gets the first answer, so that nothing is wrong except the number of requests.
	sendsTwice: (request) =>
		async function (...args) {
			const first = request.apply(this, args);
			await first.catch(() => {});
			await request.apply(this, args).catch(() => {});
			return await first;
		},
};

jest.doMock(`${NODES}/transport/request`, () => {
	const actual = jest.requireActual<typeof requests>(`${NODES}/transport/request`);
	const { prototype } = actual.ServiceClient;
	const { request } = prototype;
	const send = SENDS[sabotage]?.(request) ?? request;
	prototype.request = async function (...args) {
		return await (args[0].method === 'POST' ? send : request).apply(this, args);
	};
	return actual;
});

jest.doMock(`${NODES}/MessagingAccountTrigger.node`, () => {
	const actual = jest.requireActual<typeof triggerNode>(`${NODES}/MessagingAccountTrigger.node`);
	const { prototype } = actual.MessagingAccountTrigger;
	const { poll } = prototype;
	prototype.poll = async function () {
		const outputs = await poll.call(this);
		return sabotage === 'emitsNothing' ? (outputs?.map(() => []) ?? null) : outputs;
	};
	return actual;
});

if (sabotage !== 'none') {
	// What these nodes leave out never comes.
	jest.doMock('../support/waitUntil', () => {
		const actual = jest.requireActual<typeof waiting>('../support/waitUntil');
		const waitUntil: typeof actual.waitUntil = async (what, condition) =>
			await actual.waitUntil(what, condition, 3000);
		return { ...actual, waitUntil };
	});
}
