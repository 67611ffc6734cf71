import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { parameterReader, type ReadParameter } from './itemParameters';
import { readTimeout } from './operations';
import type { Operation } from './operations/operation';
import { mustHaveRecord } from './sends/idRecord';
import { readPaceOptions, type PaceOptions } from './sends/options';
import { Sends, type Attempt } from './sends/sends';
import type { Answer } from './service/answers';
import {
	cancelSignal,
	exchange,
	openSession,
	type Read,
	type ServiceRequest,
	type Session,
} from './service/request';
import { inTries, NotStarted } from './service/tries';
import { runTasks, type Task } from './tasks';

export interface ItemFailure {
	itemIndex: number;
	error: unknown;
}

export interface ItemResults {
	/** For each input item what it gives; nothing where it failed or was not started. */
	outputs: INodeExecutionData[][];
	/** In the order in which they happened. */
	failures: ItemFailure[];
}

/**
 * Carries out an operation for all input items. Only sends go several at a time.
 *
 * @param stopsAtFailure whether nothing new starts after a failing item; what is under way is awaited in any case
 */
export async function runItems(
	context: IExecuteFunctions,
	operation: Operation,
	stopsAtFailure: boolean,
): Promise<ItemResults> {
	const outputs = new Array<INodeExecutionData[]>(context.getInputData().length);
	const failures: ItemFailure[] = [];

	const readParameter = parameterReader(context);
	let pace: PaceOptions = { concurrency: 1, delay: 0 };
	let runError: unknown;
	try {
		if (operation.sends) {
			mustHaveRecord(context);
			pace = readPaceOptions(readParameter);
		}
	} catch (error) {
		runError = error;
	}

	const stop = new AbortController();
	const canceled = cancelSignal(context);
	const halt = canceled ? AbortSignal.any([canceled, stop.signal]) : stop.signal;
	const sends = operation.sends ? new Sends(context, readParameter, pace.delay, halt) : undefined;
	const plan = planner(context, readParameter, operation, sends, halt);

	const fail = (itemIndex: number, error: unknown) => {
		if (error instanceof NotStarted) return;
		failures.push({ itemIndex, error: sends?.inViewOfEarlier(itemIndex, error) ?? error });
		if (stopsAtFailure) stop.abort();
	};
	const carryOut = async (itemIndex: number, work: Attempt) => {
		try {
			const pairedItem = { item: itemIndex };
			outputs[itemIndex] = (await work()).map((item) => ({ ...item, pairedItem }));
		} catch (error) {
			fail(itemIndex, error);
		}
	};
	let next = 0;
	const take = (): Task | undefined => {
		// Loops, because an item whose parameters cannot be used is no task.
		while (next < outputs.length && !halt.aborted) {
			const itemIndex = next++;
			try {
				if (runError) throw runError;
				const { recipient, work } = plan(itemIndex);
				return { lane: recipient, run: async () => await carryOut(itemIndex, work) };
			} catch (error) {
				fail(itemIndex, error);
			}
		}
		return undefined;
	};
	await runTasks(take, pace.concurrency);
	await sends?.end();
	return { outputs, failures };
}

/**
 * Gives the function that reads an item's parameters and says what is to be done for it.
 * It throws what keeps the item from being started, e.g. InvalidInput.
 */
function planner(
	context: IExecuteFunctions,
	readParameter: ReadParameter,
	operation: Operation,
	sends: Sends | undefined,
	halt: AbortSignal,
): (itemIndex: number) => { recipient?: string; work: Attempt } {
	let session: Promise<Session> | undefined;

	return (itemIndex) => {
		const { request, recipient, toItems } = operation.prepare(readParameter, itemIndex, context);
		const timeout = readTimeout(readParameter, itemIndex);
		const open = async () => await (session ??= openSession(context));
		const ask = async (asked: ServiceRequest): Promise<Answer> => {
			const opened = await open();
			return { body: await exchange(context, opened, asked, timeout), account: opened.account };
		};
		const read: Read = async (asked) =>
			await inTries(async () => await ask(asked), { isSend: false, halt });
		const send = async () => await toItems(await ask(request), read);
		const work = sends
			? sends.plan(itemIndex, request.body ?? {}, { open, send })
			: async () => await toItems(await read(request), read);
		return { recipient, work };
	};
}
