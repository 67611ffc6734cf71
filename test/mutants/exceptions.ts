/**
 * Tests that rightly stay green against all crippled nodes that concern them. For each reason and each file: what their names
 * have in common.
 */
export const EXCEPTIONS: Record<string, Record<string, string[]>> = {
	'It only reads.': {
		'MessagingAccount.wire.ts': [
			'getStatus',
			'getMessages',
			'Get Messages',
			'the Base URL',
			'canceling a read',
			'a QR code',
			'only reads',
		],
		'faults.wire.ts': ['getStatus', 'getMessages', 'unusual responses that can be used'],
		'mainJob.wire.ts': ['a wrong token'],
		'sends/sender.wire.ts': ['is ignored by other operations'],
	},
	'Nothing is requested, because a parameter or the credential cannot be used.': {
		'MessagingAccount.wire.ts': [
			'is not made',
			'an unknown operation',
			'Send Image sends nothing if',
			'because of the credential',
			'in a cell',
			'in a choice',
		],
		'images/sendFile.wire.ts': ['neither a file nor a URL', 'nothing is sent, and the message'],
		'sends/sender.wire.ts': [
			'that has not sent anything',
			'fails, and sends nothing, if its expression',
			'a text with an expression',
			'as an ID',
			'is refused for every item',
			'is reported once with On Error "Stop"',
			'a credential that cannot be used',
		],
		'sends/ledger.wire.ts': ['its log is complete', 'if the credential cannot be used'],
		'events/newMessage.wire.ts': ['requests nothing', 'nothing is requested'],
		'MessagingAccountTrigger.wire.ts': ['about the credential', 'an unknown event'],
	},
	'Nothing is requested, because it is not certain that this would be the first time.': {
		'sends/sender.wire.ts': [
			'sends nothing if the store fails',
			'the ID of another execution stays',
		],
		'sends/ledger.wire.ts': ['if the record cannot be read', 'cannot put it on record'],
	},
	'A dry run sends nothing.': {
		'execution/dryRun.wire.ts': [''],
		'images/sendFile.wire.ts': ['a dry run'],
	},
	'It calls a part of the node directly, and this part requests nothing.': {
		'sends/sender.wire.ts': ['with an unexpected error'],
		'sends/ledger.wire.ts': ['a write '],
		'faults.wire.ts': ['a request that n8n blocks'],
	},
	'A poll that fails emits nothing.': {
		'events/newMessage.wire.ts': ['is an error in a test run', 'is refused if nothing tells'],
		'MessagingAccountTrigger.wire.ts': [
			'a failed poll of',
			'the time limit of a poll',
			'when a workflow is published',
		],
	},
	'There is nothing to emit; the tests around it show that the same trigger emits what is new.': {
		'events/newMessage.wire.ts': [
			'only remembers',
			'the first poll reads one page',
			'of an empty account shows nothing',
			'while it only waits',
			'logs this once',
		],
		'events/connectionChanged.wire.ts': ['if the account is connected'],
	},
};
