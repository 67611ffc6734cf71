import { randomUUID } from 'node:crypto';

import type { Arbitrary } from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { caseCount } from '../../../support/cases';
import { CREDENTIAL, runNode } from '../../../support/engine';
import fc from '../../../support/fastCheck';
import { FAULTS, type Fault } from '../../../support/faults';
import { HeldHooks } from '../../../support/heldHooks';
import { useNoJitter } from '../../../support/noJitter';
import { useProcessedDataStore } from '../../../support/processedDataStore';
import {
	useScriptedServer,
	type RecordedRequest,
	type Script,
} from '../../../support/scriptedServer';
import { TOOL } from '../../../support/sends';
import { DROPPED } from '../../../support/sendService';
import { type Course, courses, useSimulation } from '../../../support/simulation';
import { startNewProcess } from '../../../support/singleNodeWorkflow';
import { describeIfToldApart } from '../../../support/toldApart';

const HISTORY_COUNT = caseCount(2000);
const AGENT_HISTORY_COUNT = caseCount(500);

/** A night of histories takes ten minutes, more on a busy machine. */
const TIMEOUT_MS = 3_600_000;
jest.setTimeout(TIMEOUT_MS);

useNoJitter();
const server = useScriptedServer();
const store = useProcessedDataStore();
const simulation = useSimulation(store);

/** n8n and the service, until n8n crashes: from then on, nothing reaches the database, and no answer n8n. */
class Machine {
	hasCrashed = false;
	private eventsUntilCrash = Infinity;

	/** @param serve answers a request; without an answer, nobody waits for it any more */
	constructor(course: Course, serve: (request: RecordedRequest) => Script | undefined) {
		simulation.begin(course);
		server.onRequest((request) => {
			// After three sends in a row that failed, the node reads the status.
			if (request.method === 'GET')
				return this.hasCrashed ? DROPPED : { body: { is_connected: true } };
			const script = this.hasCrashed ? undefined : serve(request);
			if (script) this.countEvent();
			return this.hasCrashed ? DROPPED : (script ?? DROPPED);
		});
		store.reset();
		store.onCall = () => {
			this.countEvent();
			if (this.hasCrashed) throw new Error('n8n has crashed');
		};
	}

	/** @param event the number of the request, response or write to the database */
	crashAt(event = Infinity): void {
		this.hasCrashed = false;
		this.eventsUntilCrash = event;
	}

	/** Call this when all executions have ended. After a crash, what nobody has waited for is not done any more. */
	async rest(isFollowedByPause: boolean, story: string[]): Promise<void> {
		if (this.hasCrashed) {
			simulation.forgetTimers();
			startNewProcess();
			isFollowedByPause = false;
		}
		this.crashAt();
		if (!isFollowedByPause) return;
		story.push('Time passes');
		await simulation.runToEnd();
	}

	private countEvent(): void {
		if (--this.eventsUntilCrash < 0) this.hasCrashed = true;
	}
}

/** An invariant: something that must not be true, whatever has happened. */
function never(isTrue: boolean, what: string): void {
	if (isTrue) throw new Error(what);
}

/** Endings of a request, except those that take long. */
const SLOW = /endless|too large|100,000|an hour|no response/;
const ENDINGS: Fault[] = FAULTS.filter(({ name }) => !SLOW.test(name));

/** How one request ends: successfully, or with a fault, which may hide that the message was sent. */
interface Ending {
	fault?: Fault;
	isDelivered: boolean;
}

/** Another number for each item each time, so that no two sends get the same by chance. */
const DRAWN = '{{ $now.toMillis() }}{{ $json.index }}{{ $execution.id }}';

/** Each as it is entered, and as a person would call it, for an item with a note: see `toImage`. */
const CAPTIONS = {
	none: ['', () => ''],
	fixed: ['Hello', () => 'Hello'],
	other: ['Good morning', () => 'Good morning'],
	computed: ['={{ "Hel" + "lo" }}', () => 'Hello'],
	field: ['={{ $json.note }}', (note: string) => note],
	clock: [`=Note {{ $json.note }}, clock ${DRAWN}`, (note: string) => `Note ${note}, clock `],
} as const;

const URL_OF_TAG = '=https://example.com/{{ $json.tag }}.png';
const URLS = {
	plain: [URL_OF_TAG, () => ''],
	signed: [
		`${URL_OF_TAG}?note={{ $json.note }}&signed=${DRAWN}`,
		(note: string) => `?note=${note}&signed=`,
	],
} as const;

const SEND_ONCE_IDS = {
	off: '',
	order: '={{ $json.order }}',
	/** Of several people. */
	shared: '=spring {{ $json.tag }}',
};

type SendOnceId = keyof typeof SEND_ONCE_IDS;

/** What a person can edit between two executions. */
interface Workflow {
	caption: keyof typeof CAPTIONS;
	url: keyof typeof URLS;
	/** An expression that gives this item another number. */
	mended?: { item: number; person: number };
	/** An earlier node adds this to each item. */
	note: number;
	/** What an earlier node makes of the list, e.g. because a sheet was edited. */
	list: 'asIs' | 'reversed' | 'inserted' | 'shortened';
}

const UNEDITED: Workflow = { caption: 'fixed', url: 'plain', note: 0, list: 'asIs' };

interface Item {
	person: number;
	tag: number;
}

interface RunSettings {
	onError: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
	retryOnFail: boolean;
	concurrency: number;
	resendUncertain: boolean;
	sendOnceId: SendOnceId;
	/** Which items come to the node again in a further round: those of the error output, or all. */
	loop: 'no' | 'failed' | 'all';
	endings: Ending[];
	/** n8n crashes at this request, response or write to its database. */
	crashAt?: number;
	/** The execution is stopped at this request. */
	stopAt?: number;
	/** Afterwards, enough time passes for what nobody waits for. */
	isFollowedByPause: boolean;
}

interface Retry {
	/** Which of those that can be retried. */
	execution: number;
	workflow: 'original' | 'current';
	settings: RunSettings;
	/** Two of them at once. */
	atOnce: boolean;
	/** An execution that was not stored at its end runs once more, as n8n began it: it goes on although n8n shows it as ended. */
	isRerun: boolean;
}

interface StartStep {
	items: Item[];
	settings: RunSettings;
	atOnce: boolean;
	/** While it runs, because n8n shows it as ended. */
	isRetried: boolean;
}

type Step = { start: StartStep } | { retry: Retry } | { edit: Partial<Workflow> };

/** Counts images, and those of each recipient. */
class Counts {
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

interface ItemImage {
	/** Of the item. */
	index: unknown;
	image: string;
}

/** What is counted of an image: its recipient, and the image itself. */
function namesOf(image: string): string[] {
	return [recipientOf(image), image];
}

function recipientOf(image: string): string {
	return image.split(' ')[0];
}

/** A start of the workflow with all its retries: what is sent twice in it is sent twice. */
class Start {
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

	/** How many executions had Resend When Uncertain on. */
	resendingExecutions = 0;

	/** n8n may have crashed while a run looked up what others had sent: then all of it counts as unknown. */
	hasLookUpCrashed = false;

	/** Whether it ran at the same time as a retry of it: its end then removes what that has put on record, too. */
	hasRunBesideRetry = false;

	hasRun = false;

	/** Its own execution, with which what was on record is removed: what began before must not be retried any more. */
	hasEnded = false;

	/** In all its executions, an item has had the same image. */
	isStable = true;

	private content?: string;

	/** Whether an execution has had other contents than the first one. */
	isEdited = false;

	/** How many executions have had other contents or rows than the first one: what others have sent may be unknown to them. */
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

	/** Call this before each execution. @param isLogged whether it retries one that has a log */
	useWorkflow({ caption, url, mended, note, list }: Workflow, isLogged: boolean): void {
		const content = JSON.stringify({ caption, url, mended, note });
		const isComputed = caption === 'clock' || url === 'signed';
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
		if (list === 'shortened' || (this.hasInserted && list !== 'inserted')) this.isStable = false;
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
			this.unclear.get(name) + (this.interruptions + this.changes) * this.wanted(name);
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

/** How far an execution has come that runs at the same time as a retry of it, or that retry. */
class Progress {
	/** Call this when it makes a request, or has ended. */
	send!: () => void;

	readonly hasSent = new Promise<void>((resolve) => (this.send = resolve));
}

/** What n8n has in its database of an execution that can be retried. */
interface StoredExecution {
	start: Start;
	/** With which it runs. */
	mode: 'webhook' | 'retry';
	sendOnceId: SendOnceId;
	/** n8n has stored nothing at its end. */
	isInterrupted?: true;
	workflow: Workflow;
	/** The items of the trigger, which have no note yet, or the input of the node. */
	items: IDataObject[];
	isFromTrigger: boolean;
	round: number;
	/** JSON. */
	context: string;
	/** What was reported as sent in earlier rounds. */
	sentInEarlierRounds: ItemImage[];
}

/** The node's context, until an execution of the start ends. */
const BEFORE_FIRST_END = '{}';

/** Whether what a retry has to know is not on record any more. docs/no-duplicate-sends.md names this limit. */
function isTooLateToRetry({ start, context }: StoredExecution): boolean {
	return start.hasEnded && (context === BEFORE_FIRST_END || start.hasRunBesideRetry);
}

const FIRST_NUMBER = 49151000000;

/** Of a loop, at most. */
const ROUNDS = 3;

function createItem(index: number, number: number, tag: number): IDataObject {
	return { index, number, tag, order: `${number} https://example.com/${tag}.png` };
}

function numberOf({ index, number }: IDataObject, { mended }: Workflow): number {
	return mended && mended.item === index ? FIRST_NUMBER + mended.person : (number as number);
}

function toParameters(workflow: Workflow, settings: RunSettings): INodeParameters {
	const { item, person } = workflow.mended ?? { item: -1, person: 0 };
	const { concurrency, resendUncertain, sendOnceId } = settings;
	return {
		operation: 'sendImage',
		number: `={{ $json.index === ${item} ? ${FIRST_NUMBER + person} : $json.number }}`,
		url: URLS[workflow.url][0],
		caption: CAPTIONS[workflow.caption][0],
		options: {
			concurrency,
			resendUncertain,
			sendOnceId: SEND_ONCE_IDS[sendOnceId],
			timeout: TIMEOUT_MS,
		},
	};
}

/** What a person would call the same image, whenever it is computed. */
function toImage({ number, url, caption = '' }: IDataObject): string {
	return [number, url, caption].join(' ').replace(/(clock |signed=)\d+/g, '$1');
}

function imageOf(item: IDataObject, workflow: Workflow): string {
	const [note, tag] = [String(item.note), String(item.tag)];
	const url = `https://example.com/${tag}.png${URLS[workflow.url][1](note)}`;
	const caption = CAPTIONS[workflow.caption][1](note);
	return toImage({ number: numberOf(item, workflow), url, caption });
}

type Result = 'sent' | 'unknown' | 'notSent' | 'skipped';

function resultOf({ id, sent, skipped, error }: IDataObject): Result {
	if (skipped) return 'skipped';
	if (error) return (error as { delivery: 'unknown' | 'notSent' }).delivery;
	never(!(id ?? sent), 'an item came out with neither an id nor an error');
	return 'sent';
}

/** n8n with its database, the service, and a person who starts, retries and edits. */
class World {
	private workflow = UNEDITED;
	private readonly starts: Start[] = [];
	private readonly retryable: StoredExecution[] = [];
	private readonly services = new Map<string, (body: IDataObject) => Script>();

	/** By Send Once per ID: in all executions of all starts. */
	private readonly deliveredIds = new Map<string, number>();

	/** With and without an ID. */
	private readonly deliveredImages = new Set<string>();

	/** After a request, nobody knew whether the image was delivered. */
	private hasUnclear = false;

	private executionCount = 0;
	private wasMended = false;
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
				context: BEFORE_FIRST_END,
				sentInEarlierRounds: [],
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
		const executions = [retried];
		if (atOnce) executions.push(retried);
		if (isRerun && stored.isInterrupted) {
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
		if (mode === 'retry') await untilOthersSend();
		await simulation.waitForTurn(`${start.name} reaches the node`);
		if (mode === 'retry' && isTooLateToRetry(stored)) return;
		const executionId = String(++this.executionCount);
		const name = `execution ${executionId} of ${start.name}`;
		const hooks = new HeldHooks();
		const end = async () => {
			progress.send();
			if (mode === 'webhook') await untilOthersSend();
			await simulation.waitForTurn('the end');
			start.hasEnded ||= mode === 'webhook';
			await hooks.store();
		};
		const token = randomUUID();
		const endings = [...settings.endings];
		let requestsUntilStop = settings.stopAt ?? Infinity;
		let isStopped = false;
		const rounds: Array<() => void> = [];
		this.services.set(token, (body) => {
			progress.send();
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
			const id = this.idOf(image, sendOnceId);
			if (id && arrives) this.deliveredIds.set(id, (this.deliveredIds.get(id) ?? 0) + 1);
			if (arrives) this.deliveredImages.add(image);
			this.hasUnclear ||= ending.fault?.delivery === 'unknown';
			return script;
		});
		const context = JSON.parse(stored.context) as IDataObject;
		const isFirst = !start.hasRun;
		start.useWorkflow(workflow, stored.context !== BEFORE_FIRST_END);
		start.hasRun = true;
		if (settings.resendUncertain) start.resendingExecutions++;
		const sentBefore = [...stored.sentInEarlierRounds];
		const unknownBefore: ItemImage[] = [];
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
			const earlier = isNew && start.loop === 'all' ? unknownBefore : [];
			for (const item of itemImages) start.want(item, [...sentBefore, ...earlier]);
			const isSettled = new Set(
				images
					.flatMap((image) => start.namesOf(image))
					// In later rounds of a loop, a recipient may have got more than the list has items for them.
					.filter((name) => start.loop === 'no' || recipientOf(name) !== name)
					.filter((name) => settledBy(name) <= start.settled.get(name)),
			);
			const before = server.requests.length;

			const { retryOnFail, onError, resendUncertain } = settings;
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
				settings: { onError, retryOnFail, maxTries: 2, waitBetweenTries: 1 },
				credential: { baseUrl: server.url, ...CREDENTIAL, token },
				onStart: ({ cancel }) => rounds.push(cancel),
			});
			const requested = server.requests
				.slice(before)
				.filter(({ headers, method }) => headers.token === token && method === 'POST')
				.map(({ body }) => toImage(body as IDataObject));
			start.checkDelivered();
			this.checkIds();
			const keep = (how: string, ended: Partial<StoredExecution> = { isInterrupted: true }) => {
				this.story.push(`  ${name} ${how}, and can be retried: ${this.retryable.length}`);
				this.retryable.push({ ...stored, ...ended });
			};
			if (this.machine.hasCrashed) {
				start.interruptions++;
				start.hasLookUpCrashed ||= !isFirst;
				return keep('ends because n8n has crashed');
			}
			start.hasParallelRuns ||= isParallel;
			const { hasLookUpCrashed, changes, hasRunBesideRetry, loop } = start;
			const isUncertain = hasLookUpCrashed || changes > 0 || hasRunBesideRetry || loop === 'all';
			const mayResend = (name: string) =>
				start.hasParallelRuns || (resendUncertain && (isUncertain || start.wanted(name) > 1));
			for (const name of requested.flatMap((image) => start.namesOf(image)))
				never(isSettled.has(name) && !mayResend(name), `${name} was requested again`);
			// If an execution is stopped, n8n keeps the data with which it began.
			if (isStopped) {
				keep('was stopped');
				return await hooks.store();
			}
			if (result.outputs.length === 0) {
				const ended = { context: JSON.stringify(context), sentInEarlierRounds: [...sentBefore] };
				keep('failed', { ...ended, isInterrupted: undefined, isFromTrigger: false, items, round });
				return await end();
			}

			const results = new Map<number, Result>();
			for (const { json, pairedItem } of result.outputs.flat()) {
				const { item } = pairedItem as { item: number };
				results.set(item, resultOf(json));
				if (json.skipped) this.checkSkipped(json, images[item], sendOnceId);
			}
			this.story.push(`  ${name}: ${[...results.values()].join(', ')}`);
			expect(results.size).toBe(items.length);
			// Of two retries at once, one may send what the other could not.
			const reported = isParallel
				? new Map([...results].filter(([, one]) => one !== 'notSent'))
				: results;
			this.checkResults(start, images, reported, [
				...[...sentBefore, ...unknownBefore].flatMap(({ image }) => namesOf(image)),
				...start.earlierNames(itemImages),
			]);
			const isUndisturbed = isFirst && !isParallel && round === 0 && settings.stopAt === undefined;
			for (const [i, one] of results) {
				const isExplained = !isUndisturbed || start.unclear.get(recipientOf(images[i])) > 0;
				never(one === 'unknown' && !isExplained, `${images[i]} is unknown without a reason`);
				if (one === 'sent') sentBefore.push(itemImages[i]);
				if (one === 'unknown') unknownBefore.push(itemImages[i]);
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
		const mayResend = this.starts.some(({ resendingExecutions }) => resendingExecutions > 0);
		for (const [id, count] of this.deliveredIds)
			never(count > 1 && !mayResend, `the ID ${id} was delivered ${count} times`);
	}

	/** Undefined if it is not known. */
	private idOf(image: string, sendOnceId: SendOnceId): string | undefined {
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
		results: Map<number, Result>,
		explained: string[],
	): void {
		const count = (result: Result) =>
			new Counts(images.filter((_, i) => results.get(i) === result));
		const [sent, perhaps] = [count('sent'), count('unknown')];
		for (const name of explained) perhaps.raise(name, perhaps.get(name) + 1);
		const recipients = images.map(recipientOf);
		const isOnlyItem = (i: number) =>
			start.loop === 'no' && recipients.filter((other) => other === recipients[i]).length === 1;
		for (const [i, one] of results) {
			for (const name of start.namesOf(images[i])) {
				const delivered = start.delivered.get(name);
				// The image may have been another one.
				const mayDiffer = name !== recipients[i] && isOnlyItem(i);
				const isMissing = delivered < sent.get(name) && !mayDiffer;
				never(one === 'sent' && isMissing, `${name} counts as sent, but was not`);
				const atMost = sent.get(name) + perhaps.get(name) + start.accepted(name);
				// A loop may have sent others of its images more often.
				const isKnown = start.loop === 'no' || recipientOf(name) !== name;
				const isThere = isKnown && delivered > atMost;
				never(one === 'notSent' && isThere, `${name} counts as not sent, but was`);
			}
		}
	}
}

/** A row that is inserted has the recipient of the first one, and another image. */
function changeList(items: IDataObject[], list: Workflow['list']): IDataObject[] {
	if (list === 'reversed') return items.slice().reverse();
	if (list === 'shortened') return items.slice(1);
	if (list === 'asIs') return items;
	return [createItem(1000, items[0].number as number, 2), ...items];
}

/** One of two, and the first one `weight` times as often. */
const mostly = <T, U>(weight: number, first: Arbitrary<T>, second: Arbitrary<U>) =>
	fc.oneof({ weight, arbitrary: first }, { weight: 1, arbitrary: second });

/** Undefined most of the time. */
const rarely = (max: number) => mostly(3, fc.constant(undefined), fc.nat({ max }));

const seldom = fc.constantFrom(false, false, false, true);

const success = fc.constant<Ending>({ isDelivered: true });
const failure = fc.record({ fault: fc.constantFrom(...ENDINGS), isDelivered: fc.boolean() });
const endings: Arbitrary<Ending[]> = fc.array(
	fc.oneof({ weight: 3, arbitrary: success }, { weight: 2, arbitrary: failure }),
	{ maxLength: 12 },
);

const settings: Arbitrary<RunSettings> = fc.record({
	onError: fc.constantFrom('stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'),
	retryOnFail: fc.boolean(),
	concurrency: fc.constantFrom(1, 1, 3),
	resendUncertain: seldom,
	sendOnceId: mostly(4, fc.constant('off'), fc.constantFrom('order', 'shared')),
	loop: fc.constantFrom('no', 'no', 'failed', 'all'),
	endings,
	crashAt: rarely(15),
	stopAt: rarely(6),
	isFollowedByPause: fc.boolean(),
});

const item: Arbitrary<Item> = fc.record({ person: fc.nat({ max: 3 }), tag: fc.nat({ max: 1 }) });
const items: Arbitrary<Item[]> = mostly(
	9,
	fc.array(item, { minLength: 1, maxLength: 5 }),
	fc.array(item, { minLength: 6, maxLength: 30 }),
);

const start = fc.record({ items, settings, atOnce: seldom, isRetried: seldom });
const retry: Arbitrary<Retry> = fc.record({
	execution: fc.nat({ max: 5 }),
	workflow: fc.constantFrom('original', 'current'),
	settings,
	atOnce: seldom,
	isRerun: seldom,
});
const mended = fc.record({ item: fc.nat({ max: 2 }), person: fc.nat({ max: 3 }) });
const edit: Arbitrary<Partial<Workflow>> = fc.oneof(
	fc.record({ caption: fc.constantFrom(...keysOf(CAPTIONS)) }),
	fc.record({ url: fc.constantFrom(...keysOf(URLS)) }),
	fc.record({ note: fc.nat({ max: 1 }) }),
	fc.record({ list: fc.constantFrom('asIs', 'reversed', 'inserted', 'shortened') }),
	fc.record({ mended: fc.option(mended, { nil: undefined }) }),
);
const firstStep = fc.record({ start });
const steps: Arbitrary<Step> = fc.oneof(
	{ weight: 1, arbitrary: firstStep },
	{ weight: 4, arbitrary: fc.record({ retry }) },
	{ weight: 2, arbitrary: fc.record({ edit }) },
);

function keysOf<T extends object>(object: T): Array<keyof T> {
	return Object.keys(object) as Array<keyof T>;
}

/** Ways in which a model writes the same call. */
const WORDINGS: Array<(digits: string) => IDataObject> = [
	(digits) => ({ number: digits, tag: 0 }),
	(digits) => ({ tag: 0, number: ` +${digits.slice(0, 2)} ${digits.slice(2)}`, remark: 'again' }),
];

interface Call {
	person: number;
	wording: number;
	ending: Ending;
}

/** One execution of an agent; the next one is its retry. */
interface AgentExecution {
	calls: Call[];
	crashAt?: number;
	isFollowedByPause: boolean;
}

/** Plays an agent that calls the node as its tool, and begins anew in each retry. */
async function playAgent(
	executions: AgentExecution[],
	course: Course,
	story: string[],
): Promise<void> {
	const start = new Start('the agent', 'no');
	let ending: Ending;
	const machine = new Machine(course, ({ body }) => {
		const { script, text } = start.receive(toImage(body as IDataObject), ending);
		story.push(`  ${text}`);
		return script;
	});
	let storedContext = '{}';
	const unknown = new Set<string>();
	for (const [execution, { calls, crashAt, isFollowedByPause }] of executions.entries()) {
		story.push(`Execution ${execution}`);
		machine.crashAt(crashAt);
		const context = JSON.parse(storedContext) as IDataObject;
		const hooks = new HeldHooks();
		const made: ItemImage[] = [];
		const sent = new Counts();
		for (const [round, call] of calls.entries()) {
			const input = WORDINGS[call.wording](String(FIRST_NUMBER + call.person));
			const image = imageOf({ number: FIRST_NUMBER + call.person, tag: 0 }, UNEDITED);
			start.want({ index: 0, image }, made);
			made.push({ index: 0, image });
			ending = call.ending;
			const before = server.requests.length;
			const run = runNode({
				mode: execution === 0 ? 'webhook' : 'retry',
				executionId: String(execution),
				resumeToken: start.resumeToken,
				round,
				context,
				hooks,
				items: [{ ...input, toolCallId: randomUUID() }],
				parameters: toParameters(UNEDITED, PLAIN),
				settings: { type: TOOL, onError: 'continueRegularOutput' },
				credential: { baseUrl: server.url, ...CREDENTIAL },
			});
			const { outputs } = await simulation.runUntil(run);
			if (machine.hasCrashed) break;
			const result = resultOf(outputs[0][0].json);
			story.push(`  call for ${JSON.stringify(input)}: ${result}`);
			const isRequested = server.requests.slice(before).some(({ method }) => method === 'POST');
			never(unknown.has(image) && isRequested, `${image} was requested again`);
			if (result === 'unknown') unknown.add(image);
			if (result === 'sent') sent.add(image);
			const delivered = start.delivered.get(image);
			const isMissing = delivered < sent.get(image);
			never(result === 'sent' && isMissing, `${image} counts as sent, but was not`);
			const isThere = delivered > start.wanted(image) - 1;
			never(result === 'notSent' && isThere, `${image} counts as not sent, but was`);
			start.checkDelivered();
		}
		if (machine.hasCrashed) {
			story.push('  n8n has crashed');
		} else {
			storedContext = JSON.stringify(context);
			await hooks.store();
		}
		await machine.rest(isFollowedByPause, story);
	}
}

const agentExecutions: Arbitrary<AgentExecution[]> = fc.array(
	fc.record({
		calls: fc.array(
			fc.record({
				person: fc.nat({ max: 1 }),
				wording: fc.nat({ max: WORDINGS.length - 1 }),
				ending: endings.map(([first]) => first ?? { isDelivered: true }),
			}),
			{ minLength: 1, maxLength: 5 },
		),
		crashAt: rarely(10),
		isFollowedByPause: fc.boolean(),
	}),
	{ minLength: 1, maxLength: 3 },
);

type History = [start: { start: StartStep }, more: Step[], course: Course];

const PLAIN: RunSettings = {
	onError: 'stopWorkflow',
	retryOnFail: false,
	concurrency: 1,
	resendUncertain: false,
	sendOnceId: 'off',
	loop: 'no',
	endings: [],
	isFollowedByPause: false,
};

/** @param people each with the tag of the image if it is not 0, e.g. "0 3.1" */
const startOf = (people: string, settings: Partial<RunSettings> = {}, isRetried = false) => {
	const items = people.split(' ').map((one) => {
		const [person, tag = 0] = one.split('.').map(Number);
		return { person, tag };
	});
	return { start: { items, settings: { ...PLAIN, ...settings }, atOnce: false, isRetried } };
};
const retryOf = (execution: number, run: Partial<RunSettings> = {}, more: Partial<Retry> = {}) => {
	const plain = { workflow: 'original', atOnce: false, isRerun: false } as const;
	return { retry: { ...plain, execution, settings: { ...PLAIN, ...run }, ...more } };
};
const endingOf = (name: string, isDelivered = false): Ending => ({
	fault: FAULTS.find((one) => one.name === name)!,
	isDelivered,
});
const REDIRECTED = endingOf('HTTP 301, to another origin');
const CUT = endingOf('two different content lengths');
const UNSUCCESSFUL = endingOf('success: false, with the field or not', true);

const historyOf = (course: Course, first: History[0], ...more: Step[]): History => [
	first,
	more,
	course,
];

/** What nights and slow machines have found, and few runs would find again. */
const FOUND_BEFORE: History[] = [
	historyOf(
		{ order: 0, durations: [0, 0, 0, 800] },
		startOf('0', { sendOnceId: 'order' }),
		startOf('0 0 0 1 1 0', { endings: [REDIRECTED] }),
		retryOf(0, { sendOnceId: 'order', endings: [CUT] }, { atOnce: true }),
	),
	// The retry of an execution that still ran reached the node after its end.
	historyOf({ order: 485498650, durations: [800] }, startOf('0', {}, true)),
	// What was sent was a row that has another number now. The other one of its recipient had been skipped.
	historyOf(
		{ order: 0, durations: [] },
		startOf('3.1 0 3', { endings: [{ isDelivered: true }, REDIRECTED] }),
		retryOf(0, { endings: [REDIRECTED] }),
		retryOf(0, { sendOnceId: 'shared' }),
		{ edit: { mended: { item: 0, person: 0 } } },
		retryOf(1, {}, { workflow: 'current' }),
	),
	// In the second round of a loop, nothing tells that an item whose image and caption were edited is one that is unknown.
	historyOf(
		{ order: 0, durations: [] },
		startOf('0', { loop: 'all', endings: [UNSUCCESSFUL] }),
		{ edit: { url: 'signed', caption: 'field' } },
		retryOf(0, { onError: 'continueErrorOutput' }, { workflow: 'current' }),
	),
];

/** If an invariant does not hold, tells the story that led to it. */
async function tell(play: (story: string[]) => Promise<void>): Promise<void> {
	const story: string[] = [];
	try {
		await play(story);
	} catch (error) {
		throw new Error(`${(error as Error).message}\n\n${story.join('\n')}\n`);
	}
}

describeIfToldApart('in drawn histories', () => {
	test(`nobody gets an image twice, and every report is true: ${HISTORY_COUNT} times`, async () => {
		const more = fc.array(steps, { maxLength: 7 });
		const property = fc.asyncProperty(firstStep, more, courses, async (first, others, course) => {
			await tell(async (story) => {
				const world = new World(story, course);
				for (const step of [first, ...others]) await world.play(step);
			});
		});
		await fc.assert(property, { numRuns: HISTORY_COUNT, examples: FOUND_BEFORE });
	});

	test(`an agent sends nothing twice that it has not asked for twice: ${AGENT_HISTORY_COUNT} times`, async () => {
		const property = fc.asyncProperty(agentExecutions, courses, async (executions, course) => {
			await tell(async (story) => await playAgent(executions, course, story));
		});
		await fc.assert(property, { numRuns: AGENT_HISTORY_COUNT });
	});
});
