import { randomUUID } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import { runNode, UnfinishedExecution } from '../../../../support/engine';
import type { Script } from '../../../../support/scriptedServer';
import type { Course } from '../../../../support/simulation';
import type { Retry, RunSettings, StartStep, Step } from './drawing';
import { never, type Result, resultOf } from './invariants';
import { Machine, server, simulation } from './machine';
import { Counts, type ItemImage, namesOf, recipientOf, Start } from './start';
import {
	BEFORE_FIRST_END,
	hasNoLog,
	isOtherList,
	isReplacedIn,
	isTooLateToRetry,
	isUnknownToFirstNode,
	type StoredExecution,
} from './storedExecution';
import {
	ACCOUNTS,
	changeList,
	createItem,
	FIRST_NUMBER,
	FRESH,
	imageOf,
	type SendOnceId,
	toImage,
	toParameters,
	UNEDITED,
} from './workflow';

/** How far an execution has come that runs at the same time as a retry of it, or that retry. */
class Progress {
	/** Call this when it makes a request, or has ended. */
	send!: () => void;
	readonly hasSent = new Promise<void>((resolve) => (this.send = resolve));
}

/** Of a loop, at most. */
const ROUNDS = 3;

/** n8n with its database, the service, and a person who starts, retries and edits. */
export class World {
	private workflow = UNEDITED;
	private readonly starts: Start[] = [];
	private readonly retryable: StoredExecution[] = [];
	private readonly services = new Map<string, (body: IDataObject) => Script>();
	/** By Send Once per ID: in all executions of all starts. */
	private readonly deliveredIds = new Map<string, number>();
	/** With and without an ID. */
	private readonly deliveredImages = new Set<string>();
	/** IDs under which an item was told as sent or, if no other execution ran, skipped or unknown, and how many executions had begun then. */
	private readonly toldIds = new Map<string, number>();
	/** After a request, nobody knew whether the image was delivered. */
	private hasUnclear = false;
	private executionCount = 0;
	private wasMended = false;
	/** Whether a Client ID has been an expression: its account has other IDs. */
	private wasMoved = false;
	private readonly machine: Machine;
	/** How many executions run at once. */
	private runningCount = 0;

	constructor(
		private readonly story: string[],
		course: Course,
	) {
		this.machine = new Machine(course, ({ headers, body }) => {
			// None if the request was on its way when an execution of another history was stopped.
			const service = this.services.get(String(headers.token));
			return service?.(body as IDataObject);
		});
	}

	async play(step: Step): Promise<void> {
		if ('edit' in step) {
			this.story.push(`Edit: ${JSON.stringify(step.edit)}`);
			this.workflow = { ...this.workflow, ...step.edit };
			this.wasMended ||= this.workflow.mended !== undefined;
			this.wasMoved ||= this.workflow.account !== 'fixed';
		} else if ('start' in step) {
			await this.runAll(this.createStarts(step.start), step.start.settings);
		} else {
			await this.runAll(this.findRetried(step.retry), step.retry.settings);
		}
	}

	private createStarts({ items, settings, atOnce, isRetried }: StartStep) {
		const { loop, sendOnceId } = settings;
		const executions = (atOnce ? [1, 2] : [1]).map((): StoredExecution => {
			const start = new Start(`start ${this.starts.length + 1}`, loop);
			this.starts.push(start);
			this.story.push(`${start.name} with the items ${JSON.stringify(items)}`);
			return {
				start,
				mode: 'webhook',
				sendOnceId,
				workflow: this.workflow,
				items: items.map(({ person, tag }, i) => createItem(i, FIRST_NUMBER + person, tag)),
				isFromTrigger: true,
				round: 0,
				...{ context: BEFORE_FIRST_END, logged: 0 },
				earlierRounds: { sent: [], changed: [] },
			};
		});
		if (!isRetried) return executions;
		const [{ start }] = executions;
		this.story.push(`${start.name} is retried while it runs`);
		start.interruptions++;
		start.hasRunBesideRetry = true;
		return [...executions, { ...executions[0], mode: 'retry' as const }];
	}

	private findRetried({ execution, workflow, settings, atOnce, isRerun }: Retry) {
		if (this.retryable.length === 0) return [];
		const { sendOnceId } = settings;
		const index = execution % this.retryable.length;
		const stored = this.retryable[index];
		if (isTooLateToRetry(stored)) return [];
		this.story.push(`Retry of ${index}, of ${stored.start.name}, ${workflow} workflow`);
		const retried: StoredExecution = { ...stored, mode: 'retry', sendOnceId };
		if (workflow === 'current') retried.workflow = this.workflow;
		if (isOtherList(retried)) return [];
		const executions = [retried];
		if (atOnce) executions.push(retried);
		if (isRerun && stored.isInterrupted && !isUnknownToFirstNode(stored)) {
			executions[0] = stored;
			stored.start.hasRunBesideRetry = true;
			// Its end replaces what n8n shows of it.
			this.retryable.splice(index, 1);
		}
		this.story.push(`  ${executions.map(({ mode }) => mode).join(', ')}`);
		if (executions.length > 1 || executions[0] === stored) stored.start.interruptions++;
		return executions;
	}

	private async runAll(executions: StoredExecution[], settings: RunSettings): Promise<void> {
		if (executions.length === 0) return;
		this.machine.crashAt(settings.crashAt);
		this.runningCount = executions.length;
		const isParallel = new Set(executions.map(({ start }) => start)).size < executions.length;
		const progress = new Map(executions.map((one) => [one, new Progress()]));
		const runs = executions.map(async (one) => {
			const others = executions.filter(
				({ start, mode }) => start === one.start && mode !== one.mode,
			);
			const untilOthersSend = async () => {
				for (const other of others) await progress.get(other)!.hasSent;
			};
			const own = progress.get(one)!;
			await this.run(one, settings, isParallel, own, untilOthersSend).finally(own.send);
		});
		await simulation.runUntil(Promise.allSettled(runs));
		await Promise.all(runs);
		await this.machine.rest(settings.isFollowedByPause, this.story);
	}

	/** Runs the node as n8n does in one execution, round by round, until the execution ends or n8n crashes. */
	private async run(
		stored: StoredExecution,
		runSettings: RunSettings,
		isParallel: boolean,
		progress: Progress,
		untilOthersSend: () => Promise<void>,
	): Promise<void> {
		const { start, mode, workflow, sendOnceId } = stored;
		const settings = { ...runSettings, sendOnceId };
		const { retryOnFail, onError, resendUncertain } = settings;
		if (mode === 'retry') await untilOthersSend();
		await simulation.waitForTurn(`${start.name} reaches the node`);
		const isReplaced = isReplacedIn(stored);
		if (mode === 'retry' && isTooLateToRetry(stored)) return;
		if (isUnknownToFirstNode(stored)) return;
		const executionId = String(++this.executionCount);
		const name = `execution ${executionId} of ${start.name}`;
		const hooks = new UnfinishedExecution();
		const end = async () => {
			progress.send();
			if (mode === 'webhook') await untilOthersSend();
			await simulation.waitForTurn('the end');
			start.hasEnded ||= mode === 'webhook';
			await hooks.store();
			start.hasLostOutcomes ||= this.machine.hasCrashed;
		};
		const token = randomUUID();
		const endings = [...settings.endings];
		let requestsUntilStop = settings.stopAt ?? Infinity;
		let isStopped = false;
		const rounds: Array<() => void> = [];
		this.services.set(token, (body) => {
			progress.send();
			stored.hasRequested = true;
			if (--requestsUntilStop < 0 && !isStopped) {
				this.story.push(`  ${name} is stopped`);
				start.interruptions++;
				isStopped = true;
				for (const cancel of rounds) cancel();
			}
			const image = toImage(body);
			const ending = endings.shift() ?? { isDelivered: true };
			const { arrives, script, text } = start.receive(image, ending);
			this.story.push(`  ${name}: ${text}`);
			const ofAnyAccount = this.idIn(image, sendOnceId);
			// Each account has IDs of its own.
			const isFixed = workflow.account === 'fixed';
			const key = isFixed ? ofAnyAccount : ofAnyAccount && `${workflow.account} ${ofAnyAccount}`;
			if (key && arrives) this.deliveredIds.set(key, (this.deliveredIds.get(key) ?? 0) + 1);
			const id = this.idOf(image, sendOnceId);
			const isTold = id !== undefined && Number(executionId) > (this.toldIds.get(id) ?? Infinity);
			never(isTold && !this.mayResend, `${id!} was sent although it was told before`);
			if (arrives) this.deliveredImages.add(image);
			this.hasUnclear ||= ending.fault?.delivery === 'unknown';
			return script;
		});
		const context = JSON.parse(stored.context) as IDataObject;
		start.useNode(isReplaced, resendUncertain);
		start.useIds(sendOnceId, workflow, hasNoLog(stored));
		const isFirst = start.executions++ === 0;
		start.useWorkflow(workflow, stored.context !== BEFORE_FIRST_END);
		if (resendUncertain) start.acceptResends();
		const deliveredBefore = new Map(start.delivered.entries());
		const sentBefore = [...stored.earlierRounds.sent];
		const unknownBefore: ItemImage[] = [];
		const changedBefore = [...stored.earlierRounds.changed];
		let items = stored.isFromTrigger
			? changeList(stored.items, workflow.list).map((item) => ({ ...item, note: workflow.note }))
			: stored.items;
		for (let { round } = stored; ; round++) {
			if (round > stored.round) await simulation.waitForTurn(`${start.name} loops`);
			const images = items.map((item) => imageOf(item, workflow));
			const itemImages = items.map(({ index }: IDataObject, i) => ({ index, image: images[i] }));
			const expected = new Counts([...sentBefore, ...itemImages].map(({ image }) => image));
			// What was sent may have been a row that has another number now.
			const moved = workflow.mended ? start.earlierNames(itemImages) : [];
			const settledBy = (name: string) =>
				expected.get(name) + moved.filter((one) => one === name).length;
			// Nothing tells that such an item is one that is unknown.
			const isComputed = workflow.url === 'signed' && ['none', 'clock'].includes(workflow.caption);
			const isNew = isComputed || start.isEdited;
			const earlier = [
				...(isNew ? unknownBefore : []),
				...(isNew || workflow.url === 'signed' ? changedBefore : []),
			];
			const again = start.loop === 'all' ? earlier : [];
			for (const item of itemImages) start.want(item, [...sentBefore, ...again]);
			const isSettled = new Set(
				images
					.flatMap((image) => start.namesOf(image))
					// In later rounds of a loop, a recipient may have got more than the list has items for them.
					.filter((name) => start.loop === 'no' || recipientOf(name) !== name)
					.filter((name) => settledBy(name) <= start.settled.get(name)),
			);
			const before = server.requests.length;

			const result = await runNode({
				mode,
				executionId,
				resumeToken: start.resumeToken,
				round,
				isInLoop: start.loop !== 'no',
				context,
				hooks,
				items,
				parameters: toParameters(workflow, settings),
				settings: {
					...(isReplaced && FRESH),
					...{ onError, retryOnFail, maxTries: 2, waitBetweenTries: 1 },
				},
				credential: { baseUrl: server.url, clientId: ACCOUNTS[workflow.account], token },
				onStart: ({ cancel }) => rounds.push(cancel),
			});
			const requested = server.requests
				.slice(before)
				.filter(({ headers, method }) => headers.token === token && method === 'POST')
				.map(({ body }) => toImage(body as IDataObject));
			this.machine.check();
			start.checkDelivered();
			this.checkIds();
			const keep = (how: string, ended: Partial<StoredExecution> = { isInterrupted: true }) => {
				this.story.push(`  ${name} ${how}, and can be retried: ${this.retryable.length}`);
				this.retryable.push({ ...stored, ...ended });
			};
			if (this.machine.hasCrashed) {
				start.interruptions++;
				start.hasLostOutcomes ||= !isFirst;
				return keep('ends because n8n has crashed');
			}
			start.hasParallelRuns ||= isParallel;
			for (const name of requested.flatMap((image) => start.namesOf(image))) {
				const mayResend = start.mayRequestAgain(name, resendUncertain);
				never(isSettled.has(name) && !mayResend, `${name} was requested again`);
			}
			// If an execution is stopped, n8n keeps the data with which it began.
			if (isStopped) {
				keep('was stopped');
				return await hooks.store();
			}
			if (result.outputs.length === 0) {
				keep('failed', {
					...{ context: JSON.stringify(context), logged: stored.logged + 1 },
					earlierRounds: { sent: [...sentBefore], changed: [...changedBefore] },
					...{ isInterrupted: undefined, isFromTrigger: false, items, round },
				});
				return await end();
			}

			const results = new Map<number, Result>();
			for (const { json, pairedItem } of result.outputs.flat()) {
				const { item } = pairedItem as { item: number };
				results.set(item, resultOf(json));
				if (json.reason === 'id') this.checkSkipped(json, images[item], sendOnceId);
			}
			this.story.push(`  ${name}: ${[...results.values()].join(', ')}`);
			expect(results.size).toBe(items.length);
			// Of two retries at once, one may send what the other could not.
			const reported = isParallel
				? new Map([...results].filter(([, one]) => one !== 'notSent'))
				: results;
			// Of executions at once, one may tell as unknown what another begins, and then leaves: a later one finds that it was not sent.
			for (const [i, one] of results) {
				const id = this.idOf(images[i], sendOnceId);
				const isUsed = one === 'sent' || (this.runningCount === 1 && one !== 'notSent');
				if (id && isUsed && !this.toldIds.has(id)) this.toldIds.set(id, this.executionCount);
				// Its recipient has, or may have, another message under this ID.
				this.hasUnclear ||= one === 'changed';
			}
			this.checkResults(start, images, sendOnceId, reported, deliveredBefore, [
				...[...sentBefore, ...unknownBefore, ...changedBefore].flatMap(({ image }) =>
					namesOf(image),
				),
				...start.earlierNames(itemImages),
			]);
			const isUndisturbed = isFirst && !isParallel && round === 0 && settings.stopAt === undefined;
			for (const [i, one] of results) {
				const isExplained = !isUndisturbed || start.unclear.get(recipientOf(images[i])) > 0;
				never(one === 'unknown' && !isExplained, `${images[i]} is unknown without a reason`);
				const hasOther = start.delivered.get(recipientOf(images[i])) > 0;
				never(
					one === 'changed' && !isExplained && !hasOther,
					`${images[i]} counts as changed without a reason`,
				);
				if (one === 'sent') sentBefore.push(itemImages[i]);
				if (one === 'unknown') unknownBefore.push(itemImages[i]);
				if (one === 'changed') changedBefore.push(itemImages[i]);
			}
			const settled = new Counts(sentBefore.map(({ image }) => image));
			for (const name of images.flatMap(namesOf)) start.settled.raise(name, settled.get(name));

			const failed = (result.outputs[1] ?? []).map(({ json }) => json);
			const next = { no: [], failed, all: items }[start.loop];
			if (next.length === 0 || round === stored.round + ROUNDS - 1) return await end();
			items = next;
		}
	}

	/** An ID is used up by the first image that is delivered with it, in all executions, unless somebody accepted another one. */
	private checkIds(): void {
		for (const [id, count] of this.deliveredIds)
			never(count > 1 && !this.mayResend, `the ID ${id} was delivered ${count} times`);
	}

	private get mayResend(): boolean {
		return this.starts.some(({ resendingExecutions }) => resendingExecutions > 0);
	}

	/** Undefined if it is not known. */
	private idOf(image: string, sendOnceId: SendOnceId): string | undefined {
		return this.wasMoved ? undefined : this.idIn(image, sendOnceId);
	}

	private idIn(image: string, sendOnceId: SendOnceId): string | undefined {
		// Whatever its caption and its signature.
		const [recipient, url] = image.split(/[ ?]/);
		const tag = url.replace(/\D/g, '');
		if (sendOnceId === 'shared') return `spring ${tag}`;
		// With a mended number, an order goes to another recipient.
		return sendOnceId === 'order' && !this.wasMended ? `order ${recipient} ${tag}` : undefined;
	}

	/** An ID is used up by an image that was sent, or of which nobody knows, and the skipped item says which of the two. */
	private checkSkipped({ delivery }: IDataObject, image: string, sendOnceId: SendOnceId): void {
		const id = this.idOf(image, sendOnceId);
		// With a mended number, an item may count as sent because its recipient has received another one.
		if (id === undefined || this.wasMended) return;
		const isDelivered = [...this.deliveredImages].some((one) => this.idOf(one, sendOnceId) === id);
		never(delivery === undefined && !isDelivered, `the ID ${id} counts as sent, but was not`);
		// An item that is similar to one that is unknown is unknown, too.
		const isExplained =
			this.hasUnclear ||
			this.runningCount > 1 ||
			this.starts.some(({ interruptions }) => interruptions > 0);
		never(delivery === 'unknown' && !isExplained, `the ID ${id} is unknown without a reason`);
	}

	/**
	 * "sent" and "notSent" are true.
	 *
	 * @param explained images and recipients, each as often as something may have been delivered for another reason
	 */
	private checkResults(
		start: Start,
		images: string[],
		sendOnceId: SendOnceId,
		results: Map<number, Result>,
		deliveredBefore: Map<string, number>,
		explained: string[],
	): void {
		const count = (...what: Array<Result | undefined>) =>
			new Counts(images.filter((_, i) => what.includes(results.get(i))));
		const [sent, perhaps] = [count('sent'), count('unknown', 'changed')];
		// An earlier execution, or another one now, may have sent what is skipped for its ID.
		for (const [name, skipped] of count('skipped').entries()) {
			const most = this.runningCount > 1 ? skipped : (deliveredBefore.get(name) ?? 0);
			perhaps.raise(name, perhaps.get(name) + Math.min(skipped, most));
		}
		for (const name of explained) perhaps.raise(name, perhaps.get(name) + 1);
		for (const [i, one] of results) {
			// The message with this ID was sent, whatever it was then.
			const id = this.idOf(images[i], sendOnceId);
			const isSent = id !== undefined && this.deliveredIds.has(id);
			for (const name of namesOf(images[i])) {
				const isMissing = start.delivered.get(name) < sent.get(name) && !isSent;
				never(one === 'sent' && isMissing, `${name} counts as sent, but was not`);
			}
			for (const name of start.namesOf(images[i])) {
				const delivered = start.delivered.get(name);
				const atMost = sent.get(name) + perhaps.get(name) + start.accepted(name);
				// A loop may have sent others of its images more often.
				const isKnown = start.loop === 'no' || recipientOf(name) !== name;
				const isThere = isKnown && delivered > atMost;
				never(one === 'notSent' && isThere, `${name} counts as not sent, but was`);
			}
		}
	}
}
