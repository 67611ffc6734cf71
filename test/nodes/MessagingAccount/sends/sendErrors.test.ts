import {
	addEarlierAttempt,
	describeChanged,
} from '../../../../nodes/MessagingAccount/sends/sendErrors';

const SENT_NOTHING = 'This item was not sent now, but may have been earlier.';
const CHECK_CHAT =
	'This item was not sent now. If you edited its row after the first attempt, its image may already have been sent: check the chat before you send it again.';

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
		"received, or may have received, an earlier version of their image. To send the new version, start a new execution with only these rows; if 'Send Once per ID' is on, give them new IDs.";
	expect(describeChanged(0)).toEqual([]);
	expect(describeChanged(1)).toEqual([`1 recipient ${more}`]);
	expect(describeChanged(2)).toEqual([`2 recipients ${more}`]);
});
