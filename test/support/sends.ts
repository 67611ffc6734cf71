import type { IDataObject, INodeExecutionData, IRunExecutionData, NodeError } from 'n8n-workflow';

import { CREDENTIAL, runNode, type NodeRun } from './engine';
import { useProcessedDataStore } from './processedDataStore';
import { useScriptedServer, type RecordedRequest, type Script } from './scriptedServer';
import { DROPPED, numberOf, respondByNumber } from './sendService';
import { finish } from './simulation';
import { startNewProcess } from './singleNodeWorkflow';

export const CONTINUE = { onError: 'continueRegularOutput' } as const;
export const TOOL = 'n8n-nodes-messaging-account.messagingAccountTool';
export const RETRY_ON_FAIL = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
export const SEND_ONCE = { sendOnceId: '={{ $json.order }}' };

/** Recipients are named by the end of their numbers, e.g. 1 for 49151001. */
export const NUMBER_START = '4915100';
const PARAMETERS = {
	operation: 'sendImage',
	number: `=${NUMBER_START}{{ $json.number }}`,
	url: 'https://example.com/a.png',
	caption: '={{ $json.caption }}',
};

/** As text: the name of each item, with its order after a colon if it has one, e.g. "1:A 2:B 3". */
type Items = string | IDataObject[];

export interface SendRun extends Omit<Partial<NodeRun>, 'items'> {
	/** By name, as for `respondByNumber`. "as before": those that the test has set; then the requests so far count, too. */
	answers?: Record<string, Script | Script[]> | 'as before';
	options?: IDataObject;
}

export type SendResult = Awaited<ReturnType<ReturnType<typeof useSends>['run']>>;

/** Returns a list of that many items, named 0, 1, 2 etc., each with its own order if these have a prefix. */
export function list(count: number, orders?: string): string {
	const orderOf = (i: number) => (orders ? `:${orders}-${i}` : '');
	return Array.from({ length: count }, (_, i) => `${i}${orderOf(i)}`).join(' ');
}

/** For sends at the same time, whose order is any. */
export const sorted = (names: string) => names.split(' ').sort().join(' ');

/** Returns the name of a recipient. */
export const nameOf = (request: RecordedRequest) => numberOf(request).slice(NUMBER_START.length);

/** For tests of lists that are sent, and sent again. @param defaults of each run */
export function useSends(defaults: () => SendRun = () => ({})) {
	const server = useScriptedServer();
	const store = useProcessedDataStore();

	/** The names of all sends since the last run began. */
	const requested = () => {
		const sends = server.requests.filter(({ method }) => method === 'POST');
		return sends.map(nameOf).join(' ');
	};

	/** Executes the node; by default, the service sends everything. */
	async function run(items: Items, more: SendRun = {}) {
		const { answers = {}, options, parameters, credential, ...rest } = { ...defaults(), ...more };
		if (answers !== 'as before') {
			server.requests.length = 0;
			respondByNumber(server, answers, nameOf);
		}
		const execution = runNode({
			...rest,
			parameters: { ...PARAMETERS, options, ...parameters } as NodeRun['parameters'],
			items: typeof items === 'string' ? items.split(' ').map(toItem) : items,
			credential: { baseUrl: server.url, ...CREDENTIAL, ...credential },
		});
		const result = await finish(execution);
		const hints = hintsOf(result.stored);
		const isSummary = (hint: string) => /^\d+ items: /.test(hint);
		return {
			...result,
			/**
			 * What the items say: their IDs, or "sent", "skipped", "skipped?" (nobody knows whether it was sent), or the delivery of
			 * their errors. Between two outputs, there is a slash.
			 */
			results: result.outputs.map((items) => items.map(resultOf).join(' ')).join(' / '),
			/**
			 * Of each item in the first output the message and the description of its error, or '' if it has none. Or of the error
			 * that has stopped the node.
			 */
			errors: (result.error ? [result.error] : result.json.map(({ error }) => error)).map(toText),
			/** Names, in the order of the requests. */
			requested: requested(),
			/** What the node shows beside its output, without the summary of the list. */
			hints: hints.filter((hint) => !isSummary(hint)),
			summary: hints.find(isSummary),
			/** What a retry has in common with it. */
			shared: { items, options, parameters, settings: rest.settings },
		};
	}

	/** Executes the node once more in the same execution, with the same settings unless `more` has others. */
	async function again(
		{ context, shared: { items, ...shared } }: Awaited<ReturnType<typeof run>>,
		more: SendRun & { items?: Items } = {},
	) {
		const { items: newItems = items, ...rest } = more;
		return await run(newItems, { ...shared, context: structuredClone(context), ...rest });
	}

	/** Retries an execution that n8n has stored. */
	const retry: typeof again = async (result, more) =>
		await again(result, { mode: 'retry', ...more });

	/**
	 * Executes the node until n8n crashes at a request: nothing that happens later reaches the database, and n8n has stored no
	 * context.
	 */
	async function crashAt(
		which: string | ((request: RecordedRequest) => boolean),
		items: Items,
		more: SendRun = {},
	): Promise<void> {
		let hasCrashed = false;
		store.onCall = () => {
			if (hasCrashed) throw new Error('n8n has crashed');
		};
		server.requests.length = 0;
		server.onRequest((request) => {
			const name = nameOf(request);
			hasCrashed ||= typeof which === 'string' ? name === which : which(request);
			return hasCrashed ? DROPPED : { body: { id: `m${name}` } };
		});
		await run(items, { ...more, answers: 'as before' });
		expect(hasCrashed).toBe(true);
		startNewProcess();
		store.onCall = () => {};
	}

	/** Executes the node until n8n is killed at a call of the database. */
	async function killAtCall(call: number, items: Items, more?: SendRun) {
		let calls = 0;
		store.onCall = () => {
			if (calls++ >= call) throw new Error('n8n was killed');
		};
		const result = await run(items, more);
		startNewProcess();
		store.onCall = () => {};
		return result;
	}

	return { server, store, requested, run, again, retry, crashAt, killAtCall };
}

function toItem(text: string): IDataObject {
	const [number, order] = text.split(':');
	return order === undefined ? { number } : { number, order };
}

function resultOf({ json }: INodeExecutionData): string {
	const { sent, id, skipped, delivery, error } = json;
	if (sent) return 'sent';
	if (skipped) return delivery ? 'skipped?' : 'skipped';
	return String(id ?? (error as IDataObject | undefined)?.delivery);
}

function toText(error: unknown): string {
	const { message, description } = (error ?? {}) as Partial<NodeError>;
	return message ? `${message}: ${description}` : '';
}

function hintsOf(stored: string): string[] {
	const { resultData } = JSON.parse(stored) as IRunExecutionData;
	const tasks = Object.values(resultData.runData).flat();
	return tasks.flatMap(({ hints = [] }) => hints.map(({ message }) => message));
}
