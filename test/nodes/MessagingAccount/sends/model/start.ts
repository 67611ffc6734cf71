import { randomUUID } from 'node:crypto';

import type { Script } from '../../../../support/scriptedServer';
import type { Ending, RunSettings } from './drawing';
import { never } from './invariants';
import { server } from './machine';
import type { SendOnceId, Workflow } from './workflow';

/** Counts images, and those of each recipient. */
export class Counts {
	private readonly counts = new Map<string, number>();

	constructor(images: string[] = []) {
		for (const image of images) this.add(image);
	}

	get(name: string): number {
		return this.counts.get(name) ?? 0;
	}

	/** @param image it counts for its recipient, too */
	add(image: string): void {
		for (const name of namesOf(image)) this.counts.set(name, this.get(name) + 1);
	}

	raise(name: string, count: number): void {
		this.counts.set(name, Math.max(this.get(name), count));
	}

	entries(): IterableIterator<[string, number]> {
		return this.counts.entries();
	}
}

export interface ItemImage {
	/** Of the item. */
	index: unknown;
	image: string;
}

/** What is counted of an image: its recipient, and the image itself. */
export const namesOf = (image: string): string[] => [recipientOf(image), image];

export const recipientOf = (image: string): string => image.split(' ')[0];

const contentOf = ({ caption, url, mended, note, account }: Partial<Workflow>) =>
	JSON.stringify({ caption, url, mended, note, account });

const isComputedAnew = ({ caption, url }: Pick<Workflow, 'caption' | 'url'>) =>
	caption === 'clock' || url === 'signed';

/** A start of the workflow with all its retries: what is sent twice in it is sent twice. */
export class Start {
	readonly delivered = new Counts();
	/** Requests after which nobody knows whether the image was delivered. */
	readonly unclear = new Counts();
	/**
	 * All images that an item of the list has had, by its index, because an edit may give it another one. Each with how often it
	 * should have been sent for this item: once, and in a loop, together with the successful sends of earlier rounds.
	 */
	private readonly wantedOfItems = new Map<unknown, Counts>();
	/** How often an execution that ended has reported the image as sent. */
	readonly settled = new Counts();
	/** How often n8n crashed, an execution was stopped, or two retries ran at once: each may leave all sends unknown. */
	interruptions = 0;
	/** How many executions had Resend When Uncertain on, and the `changes` when the last one began. */
	resendingExecutions = 0;
	private changesResent = 0;
	/** n8n may have crashed while a run looked up what others had sent, or before it had written what it told: then all of it counts as unknown. */
	hasLostOutcomes = false;
	/** Whether it ran at the same time as a retry of it: its end then removes what that has put on record, too. */
	hasRunBesideRetry = false;
	/** Whether a new node has run, or has resent what was unknown. */
	hasNewNodeRun = false;
	hasNewNodeResent = false;
	/** How many executions have reached the node. */
	executions = 0;
	/** Of the latest execution: see `Workflow`. */
	private isReplaced = false;
	/** Its own execution, with which what was on record is removed: what began before must not be retried any more. */
	hasEnded = false;
	/** In all its executions, an item has had the same image. */
	isStable = true;
	private content?: string;
	/** Whether an execution has had other contents than the first one. */
	isEdited = false;
	/** Of Send Once per ID, in all its executions. */
	private readonly idTexts = new Set<string>();
	/** How many executions have had other contents, rows, nodes or texts of IDs than earlier ones: what others have sent may be unknown to them. */
	changes = 0;
	/** Each of two executions at once may take for unknown what the other begins and then leaves: a later one finds that it was not sent. */
	hasParallelRuns = false;
	private isLogged = false;
	private hasInserted = false;
	/** n8n gives each start another one. */
	readonly resumeToken = randomUUID();

	/** @param loop of the workflow, which all retries have, too */
	constructor(
		readonly name: string,
		readonly loop: RunSettings['loop'],
	) {}

	/** Call this before each execution. @param resends what is unknown */
	useNode(isReplaced: boolean, resends: boolean): void {
		if (isReplaced !== this.isReplaced && this.executions > 0) this.changes++;
		this.isReplaced = isReplaced;
		this.hasNewNodeRun ||= isReplaced;
		this.hasNewNodeResent ||= isReplaced && resends;
	}

	/** Call this before each execution. @param hasNoLog of what others have sent: then only IDs and contents tell */
	useIds(sendOnceId: SendOnceId, workflow: Workflow, hasNoLog: boolean): void {
		if (hasNoLog && this.areIdsNew(sendOnceId, workflow)) this.changes++;
		if (sendOnceId !== 'off') this.idTexts.add(sendOnceId + workflow.account);
	}

	/** Whether no execution has had this text of IDs with this account, but another one. */
	areIdsNew(sendOnceId: SendOnceId, { account }: Workflow): boolean {
		const isOther = sendOnceId !== 'off' && this.idTexts.size > 0;
		return isOther && !this.idTexts.has(sendOnceId + account);
	}

	/** Call this before an execution with Resend When Uncertain, when its changes are known. */
	acceptResends(): void {
		this.resendingExecutions++;
		this.changesResent = this.changes;
	}

	/** Whether what was told as sent may be requested again. */
	mayRequestAgain(name: string, resendUncertain: boolean): boolean {
		const { hasLostOutcomes, changes, hasRunBesideRetry, loop } = this;
		const isUncertain = hasLostOutcomes || changes > 0 || hasRunBesideRetry || loop === 'all';
		return this.hasParallelRuns || (resendUncertain && (isUncertain || this.wanted(name) > 1));
	}

	/** Call this before each execution. @param isLogged whether it retries one that has a log */
	useWorkflow(workflow: Workflow, isLogged: boolean): void {
		const { caption, url, list } = workflow;
		const content = contentOf(workflow);
		const isComputed = isComputedAnew({ caption, url });
		if (this.content && (isComputed || content !== this.content || list !== 'asIs')) this.changes++;
		this.content ??= content;
		this.isEdited ||= content !== this.content;
		if (isComputed) this.isStable = false;
		this.isLogged ||= isLogged;
		// Without a log, only the content counts.
		if (!this.isLogged) return;
		if (content !== this.content) this.isStable = false;
		// What comes in later rounds is not known when a row is compared.
		if (this.loop !== 'no' && list !== 'asIs') this.isStable = false;
		// What is left takes the place of what was removed.
		this.hasInserted ||= list === 'inserted';
		if (list === 'shortened' || list === 'swapped' || (this.hasInserted && list !== 'inserted'))
			this.isStable = false;
	}

	/** Whether an item may have another image or caption in this workflow than in an earlier execution. */
	mayHaveOther(workflow: Workflow): boolean {
		return this.isEdited || contentOf(workflow) !== this.content || isComputedAnew(workflow);
	}

	/** The service receives a send, and carries it out or not. @returns its answer, and what to tell of it */
	receive(image: string, { fault, isDelivered }: Ending) {
		const isUnclear = fault?.delivery === 'unknown';
		const arrives = !fault || (isUnclear && isDelivered);
		if (arrives) this.delivered.add(image);
		if (isUnclear) this.unclear.add(image);
		const script: Script = fault?.script ?? { body: { id: `m${server.requests.length}` } };
		const text = `${image}: ${fault?.name ?? 'sent'}${fault && arrives ? ', delivered' : ''}`;
		return { arrives, script, text };
	}

	/** What must hold for the recipient must hold for the image, too, unless it is another one in each execution. */
	namesOf(image: string): string[] {
		return this.isStable ? namesOf(image) : [recipientOf(image)];
	}

	/** @param earlier of earlier rounds, for the same item or others */
	want({ index, image }: ItemImage, earlier: ItemImage[]): void {
		const counts = this.wantedOfItems.get(index) ?? new Counts();
		const ofItem = earlier.filter((one) => one.index === index);
		for (const name of namesOf(image)) {
			const count = 1 + ofItem.filter((one) => namesOf(one.image).includes(name)).length;
			counts.raise(name, count);
		}
		this.wantedOfItems.set(index, counts);
	}

	/** How often the list should have delivered an image, or images to a recipient. */
	wanted(name: string): number {
		return [...this.wantedOfItems.values()].reduce((sum, counts) => sum + counts.get(name), 0);
	}

	/** The images, and recipients, that items had before an edit, each as often as it should have been sent. */
	earlierNames(current: ItemImage[]): string[] {
		return [...this.wantedOfItems].flatMap(([index, counts]) => {
			const now = current
				.filter((one) => one.index === index)
				.flatMap(({ image }) => namesOf(image));
			return [...counts.entries()]
				.filter(([name]) => !now.includes(name))
				.flatMap(([name, count]) => Array<string>(count).fill(name));
		});
	}

	/** How many further deliveries Resend When Uncertain has accepted at most. */
	accepted(name: string): number {
		const uncertain =
			this.unclear.get(name) + (this.interruptions + this.changesResent) * this.wanted(name);
		return this.resendingExecutions * uncertain;
	}

	/** Nobody has more images than the execution has items for them, or the same image twice, unless somebody accepted it. */
	checkDelivered(): void {
		for (const [name, count] of this.delivered.entries()) {
			const isChecked = this.isStable || recipientOf(name) === name;
			const isTooOften = count > this.wanted(name) + this.accepted(name);
			never(isChecked && isTooOften, `${name} was delivered ${count} times`);
		}
	}
}
