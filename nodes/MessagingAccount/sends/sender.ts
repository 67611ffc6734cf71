import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { ApiError, NotTriedError } from '../errors/errorClasses';
import { toOneText } from '../errors/itemErrors';
import type { DatabaseError } from '../n8n/databaseErrors';
import { log, showHint } from '../n8n/notify';
import type { ServiceClient } from '../transport/request';
import { Ledger } from './ledger';
import { createSend, createSkipped, type Send, type SendPlan } from './send';
import * as sendErrors from './sendErrors';
import type { RunOptions } from './sendOptions';
import { SendPipeline } from './sendPipeline';

/**
 * Sends the items of one run of the node, and prevents duplicate messages whatever happens to a request. Only what no earlier attempt
 * decides goes through the pipeline.
 */
export class Sender {
	private readonly ledger: Ledger;
	private readonly pipeline: SendPipeline;
	private readonly changedRecipients = new Set<string>();

	/** @param signal once aborted, nothing new starts */
	constructor(
		private readonly context: IExecuteFunctions,
		client: ServiceClient,
		options: RunOptions,
		signal: AbortSignal,
	) {
		this.ledger = new Ledger(context, options.maxSends < Infinity);
		this.pipeline = new SendPipeline(context, client, this.ledger, options, signal);
	}

	/** Whether all sends must be planned before one is made. */
	get needsAll(): boolean {
		return this.ledger.needsAll;
	}

	/** Plans the work on one item. Call this in the order of the items. */
	plan(itemIndex: number, plan: SendPlan) {
		const { ledger, pipeline } = this;
		const send = createSend(itemIndex, plan);
		ledger.plan(send);
		const run = async () => {
			await ledger.earlierOutcomes.resolve();
			let output = this.outputWithoutRequest(send);
			// Each round sends it, or learns why it may not be sent.
			while (!output) output = (await pipeline.run(send, plan)) ?? this.outputWithoutRequest(send);
			return output;
		};
		return {
			itemIndex,
			orderingKey: plan.message.recipient,
			isRepeated: ledger.ids.isRepeated(send),
			mustFail: async () => {
				await ledger.earlierOutcomes.resolve();
				return ledger.decide(send) === 'unknown';
			},
			run: async () => await run().finally(async () => await ledger.close(send)),
		};
	}

	/** Completes the record, and shows hints. Call this when all sends have ended. */
	async finish(): Promise<void> {
		// No send failed because of this.
		const tell = (error: DatabaseError) => log(this.context, toOneText(error));
		await this.ledger.finish().catch(tell);
		const changed = sendErrors.describeChanged(this.changedRecipients.size);
		for (const message of [...changed, ...(await this.ledger.ids.finish(this.context))]) {
			showHint(this.context, message);
			log(this.context, message);
		}
	}

	/** Returns the error of a failed item. One before its request says nothing about images that earlier attempts may have sent. */
	async withEarlierAttempt(itemIndex: number, error: unknown): Promise<unknown> {
		if (error instanceof ApiError) return error;
		const { earlierOutcomes, log: sendLog } = this.ledger;
		const isOwn = sendLog.mayHaveSent(itemIndex);
		// It was planned, so everything known of earlier attempts allowed it.
		if (error instanceof NotTriedError && !isOwn) return error;
		const isKnown = isOwn || sendLog.hasUnknownCall();
		if (!isKnown && (await earlierOutcomes.isComplete())) return error;
		return sendErrors.addEarlierAttempt(error, isKnown);
	}

	/** Returns the output of a send that may not be made; undefined if it may. @throws ApiError if an earlier attempt is unknown */
	private outputWithoutRequest(send: Send): INodeExecutionData[] | undefined {
		const verdict = this.ledger.decide(send);
		if (verdict === 'send') return undefined;
		if (verdict === 'idUsed') return this.ledger.ids.skip(send);
		const earlier = this.ledger.log.earlierOf(send)!;
		if (earlier.is === 'unknown') throw sendErrors.createUnknownError(earlier.reason);
		if (earlier.is === 'changed') {
			this.changedRecipients.add(send.recipientHash);
			return createSkipped(send, 'changed', earlier.isSent);
		}
		const { id } = earlier;
		return [{ json: id === null ? { id, sent: true } : { id } }];
	}
}
