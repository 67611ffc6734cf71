import { ApiError } from '../../nodes/MessagingAccount/errors/errorClasses';
import type * as triggerNode from '../../nodes/MessagingAccount/MessagingAccountTrigger.node';
import type * as requests from '../../nodes/MessagingAccount/transport/request';
import type * as waiting from '../support/waitUntil';

type ApiRequest = typeof requests.apiRequest;

const NODES = '../../nodes/MessagingAccount';

/** One of those in mutants.ts. */
const crippled = process.env.TEST_CRIPPLED ?? 'none';

/** What takes the place of the request of a send. Reads stay as they are. */
const SENDS: Record<string, (apiRequest: ApiRequest) => ApiRequest> = {
	sendsNothing:
		() =>
		async (_context, { account }) => ({ body: { id: 'made-up' }, size: 0, account }),
	saysUnknown: () => async () => {
		throw new ApiError('No response', { description: '', result: { code: undefined } });
	},
	// The node gets the first answer, so that nothing is wrong except the number of requests.
	sendsTwice:
		(apiRequest) =>
		async (...args) => {
			const first = apiRequest(...args);
			await first.catch(() => {});
			await apiRequest(...args).catch(() => {});
			return await first;
		},
};

// Not `mock`, which would run before the imports, and not `spyOn`, which tests restore.
jest.doMock(`${NODES}/transport/request`, () => {
	const actual = jest.requireActual<typeof requests>(`${NODES}/transport/request`);
	const { apiRequest } = actual;
	const send = SENDS[crippled]?.(apiRequest) ?? apiRequest;
	const route: ApiRequest = async (...args) =>
		await (args[2].method === 'POST' ? send : apiRequest)(...args);
	return { ...actual, apiRequest: route };
});

jest.doMock(`${NODES}/MessagingAccountTrigger.node`, () => {
	const actual = jest.requireActual<typeof triggerNode>(`${NODES}/MessagingAccountTrigger.node`);
	const { prototype } = actual.MessagingAccountTrigger;
	const { poll } = prototype;
	prototype.poll = async function () {
		const outputs = await poll.call(this);
		return crippled === 'emitsNothing' ? (outputs?.map(() => []) ?? null) : outputs;
	};
	return actual;
});

if (crippled !== 'none') {
	// What these nodes leave out never comes.
	jest.doMock('../support/waitUntil', () => {
		const actual = jest.requireActual<typeof waiting>('../support/waitUntil');
		const waitUntil: typeof actual.waitUntil = async (what, condition) =>
			await actual.waitUntil(what, condition, 3000);
		return { ...actual, waitUntil };
	});
}
