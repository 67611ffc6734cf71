import * as notify from '../../../../nodes/MessagingAccount/n8n/notify';
import * as sleeping from '../../../../nodes/MessagingAccount/n8n/sleep';
import { CONTINUE, list, useSends } from '../../../support/sends';

const { sleepUnlessAborted } = sleeping;
const { server, run } = useSends();

test('a list logs once a minute how far it is, and nothing about a recipient', async () => {
	const log = jest.spyOn(notify, 'log');
	let endMinute: (() => void) | undefined;
	jest.spyOn(sleeping, 'sleepUnlessAborted').mockImplementation(async (ms, signal) => {
		// A timeout of a request is as long.
		if (ms !== 60_000 || endMinute) return await sleepUnlessAborted(ms, signal);
		await new Promise<void>((resolve) => (endMinute = resolve));
		return true;
	});
	server.onRequest(() => {
		const count = server.requests.length;
		if (count === 4) endMinute?.();
		return count === 2 ? { status: 422 } : { body: { id: 'm' } };
	});
	await run(list(6), { answers: 'as before', settings: CONTINUE });
	const text = 'Send Image: 3 of 6 items, 2 sent, 1 failed';
	expect(log.mock.calls).toEqual([[expect.anything(), text, 'info']]);
});
