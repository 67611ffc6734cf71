import {
	isMutableName,
	isTimeName,
	toPlainName,
} from '../../../../nodes/MessagingAccount/shared/names';

test.each(['messageId', 'message_id', 'Message-ID', 'MESSAGE ID', '_message.id'])(
	'%s is compared as messageid',
	(name) => expect(toPlainName(name)).toBe('messageid'),
);

const TIMES = `time timestamp Timestamp messageTimestamp message_time timeStamp TIME date Date dateSent dateTime datetime
	createdAt created_at created CreatedOn sentAt sent_at SentAt ts t_stamp msgTime createtime sendtime
	msgtime messagetime unixtime createdate epoch moment momment`;
const MUTABLE = `updatedAt updated_at UpdatedAt lastUpdate readAt isRead is_read unread seen_at delivered deliveredTime edited_at
	modified changedOn expiresAt deleted status messageStatus state ack ackName viewCount views reactions status.timestamp likes isRevoked starred etag`;
const NEITHER = `chat format what sentiment id text from thread country package account bread estimate updraft counter
	participants background stateless`;
const words = (text: string) => text.trim().split(/\s+/);

test.each(words(TIMES))('%s is the name of a time', (name) => {
	expect([isTimeName(name), isMutableName(name)]).toEqual([true, false]);
});

test.each(words(MUTABLE))('%s is the name of what changes', (name) => {
	expect([isTimeName(name), isMutableName(name)]).toEqual([false, true]);
});

test.each(words(NEITHER))('%s is neither', (name) => {
	expect([isTimeName(name), isMutableName(name)]).toEqual([false, false]);
});
