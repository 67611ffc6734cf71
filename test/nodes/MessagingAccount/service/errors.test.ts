import { ServiceFailure } from '../../../../nodes/MessagingAccount/service/errors';
import type { Ending } from '../../../../nodes/MessagingAccount/service/outcomes';

const failureAfter = (ending: Ending) => new ServiceFailure('x', { description: 'What.', ending });

test.each<[ending: Ending, reason: string]>([
	['unusable', 'an answer that could not be used'],
	[{ status: 500 }, 'HTTP 500'],
	[{ code: 'ECONNRESET' }, 'ECONNRESET'],
	[{ code: undefined }, 'no answer'],
])('after %j the reason is "%s"', (ending, reason) => {
	expect(failureAfter(ending).reason).toBe(reason);
});

test('after a success that is a failure all the same, the message may have been sent', () => {
	expect(failureAfter({ status: 200 }).delivery).toBe('unknown');
});

test('notes stand behind the description', () => {
	const failure = failureAfter('unusable');
	failure.notes.push('So.', 'There.');
	expect(failure.details).toBe('What. So. There.');
});
