import type { IDataObject, INodeProperties, IPollFunctions } from 'n8n-workflow';

import { listOptions, readListQuery } from '../../messages/listOptions';
import { readNames } from '../../parameters/plainValue';
import { hash } from '../../shared/hash';
import { combineOptions, readCombineOptions } from './combineMessages';
import { onlyMessagesWhere, readConditions } from './onlyMessagesWhere';

export const newMessageOptions: INodeProperties[] = [
	...combineOptions,
	{
		displayName: 'Emit Existing Messages',
		name: 'emitExisting',
		type: 'boolean',
		default: true,
		description:
			'Whether messages that exist at the first poll also start the workflow. Otherwise the trigger only remembers them.',
	},
	...listOptions,
	{
		displayName: 'Message ID Field',
		name: 'messageIdField',
		type: 'string',
		default: '',
		placeholder: 'e.g. chat.key, messageId',
		description:
			'The field that holds the ID of a message, with dots for nested fields. If it takes several to identify a message, separate them with commas. Leave empty to detect it automatically.',
	},
	onlyMessagesWhere,
	{
		displayName: 'Possible Gap Output',
		name: 'gapOutput',
		type: 'boolean',
		default: true,
		description:
			'Whether to add an output that reports when messages may have been missed, because more arrived between two polls than the service lists',
	},
];

const ID_FIELD = 'the field, e.g. id or message.id';

/** @throws InvalidInputError naming the option */
export function readNewMessageOptions(context: IPollFunctions) {
	const option = (name: string, fallback: unknown) =>
		context.getNodeParameter(`options.${name}`, fallback);
	// Before expressions are evaluated: a query with the current time is the same query each time.
	const entered = (context.getNode().parameters.options ?? {}) as IDataObject;
	const { queryParameters = {}, onlyMessagesWhere = {} } = entered;
	const combine = readCombineOptions(option);
	const conditions = readConditions(option('onlyMessagesWhere.rows', []));
	return {
		/** The field of the IDs; empty if the user set none. */
		idField: readNames(option('messageIdField', ''), 'Message ID Field', ID_FIELD).join(','),
		listQuery: readListQuery(option),
		/** See `PollState`. */
		asked: hash(JSON.stringify(queryParameters)),
		filter: hash(JSON.stringify(onlyMessagesWhere)),
		/** Whether a message may start the workflow. */
		passes: (message: unknown) => conditions.every(({ isMet }) => isMet(message)),
		combine,
		/** Fields that messages should have, each with the option that names it. */
		namedFields: [
			...conditions.map(({ field }) => ({ field, option: 'Only Messages Where' })),
			...(combine.field === '' ? [] : [{ field: combine.field, option: 'Combine Messages By' }]),
		],
		emitsExisting: option('emitExisting', false) === true,
		hasGapOutput: option('gapOutput', false) === true,
	};
}
