import {
	addEarlierAttempt,
	describeChanged,
} from '../../../../nodes/MessagingAccount/errors/uncertainSend';

const SENT_NOTHING = 'This attempt sent nothing, but an earlier one may have.';
const CHECK_CHAT =
	'This attempt sent nothing, but if this row was edited, an earlier one may have sent its image: check the chat before you send it again.';

test.each([
	['Check it.', true, `Check it. ${SENT_NOTHING}`, undefined],
	[null, true, SENT_NOTHING, undefined],
	['Check it.', false, 'Check it.', CHECK_CHAT],
])(
	'an error with the description %j, after an earlier attempt: %s',
	(before, isKnown, ...texts) => {
		const error = addEarlierAttempt({ message: 'No database', description: before }, isKnown);
		expect([error.description, error.details.deliverySentence]).toEqual(texts);
		expect(error).toMatchObject({ message: 'No database', delivery: 'unknown' });
	},
);

test('tells how many recipients had received an earlier version', () => {
	const more =
		'had received an earlier version in this execution. To send them the new one, start the workflow again.';
	expect(describeChanged(0)).toEqual([]);
	expect(describeChanged(1)).toEqual([`1 recipient ${more}`]);
	expect(describeChanged(2)).toEqual([`2 recipients ${more}`]);
});
