import { listOptions, readListQuery } from '../messages/listQuery';
import { takeNewest } from '../messages/messageOrder';
import { readFirstPage, readPages } from '../messages/pages';
import { readNames, readNumber } from '../parameters/optionReaders';
import { quote } from '../parameters/text';
import { pickFields, toPath } from '../shared/fields';
import { hintOnce } from '../n8n/notify';
import { toItemJson } from '../transport/itemJson';
import type { ReadOperation } from './operation';

const UNCERTAIN = [
	'It is not clear which messages are the newest',
	"Those taken are a guess. Turn on 'Return All', and keep the newest with n8n's Limit node.",
] as const;

const CHECK_SPELLING = "Check its spelling in 'Output Fields': capitals count.";

export const getMessages: ReadOperation = {
	entry: {
		name: 'Get Messages',
		value: 'getMessages',
		action: 'Get messages',
		description: 'Get the latest messages of the account',
		builderHint: {
			propertyHint:
				'Returns the same messages each time. To start a workflow with new ones only, use the trigger.',
		},
	},
	parameters: [
		{
			displayName: 'Return All',
			name: 'returnAll',
			type: 'boolean',
			default: true,
			description: 'Whether to return all results or only up to a given limit',
			hint: "The service lists only its latest messages, usually 100. If it has pages, set 'Page Parameter' to get more.",
		},
		{
			displayName: 'Limit',
			name: 'limit',
			type: 'number',
			displayOptions: { show: { returnAll: [false] } },
			// docs/design/service.md, "Limits": the service returns the last 100 messages.
			typeOptions: { minValue: 1, maxValue: 100 },
			default: 50,
			description: 'Max number of results to return',
			hint: 'The newest messages if they have times or IDs that count up, otherwise a guess',
		},
	],
	options: [
		{
			displayName: 'Output Fields',
			name: 'outputFields',
			type: 'string',
			default: '',
			placeholder: 'e.g. from, chat.title, text',
			description:
				'The fields to return of each message, separated by commas, with dots for nested fields. Leave empty to return all.',
		},
		...listOptions,
	],
	sends: false,
	prepare(reader, itemIndex, context) {
		const parameter = (name: string, fallback: unknown) => reader.read(name, itemIndex, fallback);
		const advice = "Enter a number in this range, or turn on 'Return All'.";
		const limit = parameter('returnAll', true)
			? Infinity
			: readNumber(getMessages.parameters!, 'limit', parameter, advice, true);
		const listQuery = readListQuery((name, fallback) => parameter(`options.${name}`, fallback));
		const entered = parameter('options.outputFields', '');
		const names = readNames(entered, 'Output Fields', 'the fields, e.g. id, from');
		return {
			async run(read) {
				const first = await readFirstPage(listQuery, read);
				const isEnough = (soFar: unknown[][]) => soFar.flat().length >= limit;
				// Without an ID, content identifies messages: equal ones on two pages are the same.
				const { pages, error } = await readPages(first, listQuery, '', read, isEnough);
				if (error) throw error;
				const { newest, isCertain } = takeNewest(pages, limit);
				if (!isCertain) hintOnce(context, itemIndex, ...UNCERTAIN);
				const messages = newest.map((message) => toItemJson(message));
				if (messages.length === 0 || names.length === 0) return messages.map((json) => ({ json }));
				const isMissing = (name: string) =>
					messages.every((message) => Object.keys(pickNamed(message, [name])).length === 0);
				for (const name of names.filter(isMissing)) {
					const what = `No message has the field ${quote(name)}`;
					hintOnce(context, itemIndex, what, CHECK_SPELLING);
				}
				return messages.map((json) => ({ json: toItemJson(pickNamed(json, names)) }));
			},
		};
	},
};

function pickNamed(message: unknown, names: string[]) {
	const paths = names.map((name) => toPath(message, name));
	return pickFields(message, paths);
}
