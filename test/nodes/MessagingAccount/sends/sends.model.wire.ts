import { randomUUID } from 'node:crypto';

import type { Arbitrary } from 'fast-check';
import type { IBinaryKeyData, IDataObject, INodeParameters } from 'n8n-workflow';

import { caseCount } from '../../../support/cases';
import { CREDENTIAL, runNode } from '../../../support/engine';
import fc from '../../../support/fastCheck';
import { FAULTS, type Fault } from '../../../support/faults';
import { HeldHooks } from '../../../support/heldHooks';
import { useNoJitter } from '../../../support/noJitter';
import { useProcessedDataStore } from '../../../support/processedDataStore';
import { useScriptedServer, type Script } from '../../../support/scriptedServer';
import { type Course, courses, useSimulation } from '../../../support/simulation';
import { startNewProcess } from '../../../support/singleNodeWorkflow';
import { testIfToldApart } from '../../../support/toldApart';

const HISTORY_COUNT = caseCount(2000);
const AGENT_HISTORY_COUNT = caseCount(500);

/** A night of histories takes ten minutes, more on a busy machine. */
const TIMEOUT_MS = 3_600_000;

useNoJitter();
const server = useScriptedServer();
const store = useProcessedDataStore();
const simulation = useSimulation(store);

/** Starts n8n again after a crash: what nobody has waited for is not done any more. */
function restart(): void {
	simulation.forgetTimers();
	startNewProcess();
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

const CAPTIONS = {
	none: '',
	fixed: 'Hello',
	other: 'Good morning',
	computed: '={{ "Hel" + "lo" }}',
	field: '={{ $json.note }}',
	clock: `=Note {{ $json.note }}, clock ${DRAWN}`,
};

const URLS = {
	plain: '=https://example.com/{{ $json.tag }}.png',
	signed: `=https://example.com/{{ $json.tag }}.png?note={{ $json.note }}&signed=${DRAWN}`,
	/** No URL, but a file that is stored anew each time. */
	file: '',
};

const SEND_ONCE_IDS = {
	off: '',
	order: '={{ $json.order }}',
	/** Of several people. */
	shared: '=spring {{ $json.tag }}',
	/** There is no such field. */
	typo: '={{ $json.oder }}',
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

function numberOf({ index, number }: IDataObject, { mended }: Workflow): number {
	return mended && mended.item === index ? FIRST_NUMBER + mended.person : (number as number);
}

function toParameters(workflow: Workflow, settings: RunSettings): INodeParameters {
	const { item, person } = workflow.mended ?? { item: -1, person: 0 };
	const { concurrency, resendUncertain, sendOnceId } = settings;
	return {
		operation: 'sendImage',
		number: `={{ $json.index === ${item} ? ${FIRST_NUMBER + person} : $json.number }}`,
		imageSource: workflow.url === 'file' ? 'binary' : 'url',
		url: URLS[workflow.url],
		caption: CAPTIONS[workflow.caption],
		options: {
			concurrency,
			resendUncertain,
			sendOnceId: SEND_ONCE_IDS[sendOnceId],
			handOverAs: 'dataUri',
			timeout: TIMEOUT_MS,
		},
	};
}

function createFiles({ tag }: IDataObject): IBinaryKeyData {
	const data = Buffer.from(`file:${String(tag)}`).toString('base64');
	return { data: { data, mimeType: 'image/png' } };
}

/** What a person would call the same image, whenever it is computed. */
function toImage({ number, url, caption = '' }: IDataObject): string {
	const [, file] = String(url).split(';base64,');
	const image = file === undefined ? url : Buffer.from(file, 'base64').toString();
	const text = [number, image, caption].join(' ');
	return text.replace(/(clock |signed=)\d+/g, '$1');
}

function imageOf(item: IDataObject, workflow: Workflow): string {
	const captions: Record<keyof typeof CAPTIONS, string> = {
		none: '',
		fixed: 'Hello',
		other: 'Good morning',
		computed: 'Hello',
		field: String(item.note),
		clock: `Note ${String(item.note)}, clock `,
	};
	const signature = workflow.url === 'signed' ? `?note=${String(item.note)}&signed=` : '';
	return toImage({
		number: numberOf(item, workflow),
		url:
			workflow.url === 'file'
				? `file:${String(item.tag)}`
				: `https://example.com/${String(item.tag)}.png${signature}`,
		caption: captions[workflow.caption],
	});
}

type Result = 'sent' | 'unknown' | 'notSent' | 'skipped';

function resultOf({ id, sent, skipped, error }: IDataObject): Result {
	if (skipped) return 'skipped';
	if (error) return (error as { delivery: 'unknown' | 'notSent' }).delivery;
	if (id ?? sent) return 'sent';
	throw new Error('An item came out with neither an id nor an error');
}

/** n8n with its database, the service, and a person who starts, retries and edits. */
class World {
	private workflow: Workflow = { caption: 'fixed', url: 'plain', note: 0, list: 'asIs' };

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

	private eventsUntilCrash = Infinity;

	private hasCrashed = false;

	private wasMended = false;

	/** How many executions run at once. */
	private runningCount = 0;

	constructor(
		private readonly story: string[],
		course: Course,
	) {
		simulation.begin(course);
		server.onRequest(({ headers, body }) => {
			const dropped: Script = (_response, socket) => socket.destroy();
			if (this.hasCrashed) return dropped;
			const service = this.services.get(String(headers.token));
			// On its way when an execution of another history was stopped.
			if (!service) return dropped;
			const script = service(body as IDataObject);
			this.countEvent();
			return this.hasCrashed ? dropped : script;
		});
		store.reset();
		store.onCall = () => {
			this.countEvent();
			if (this.hasCrashed) throw new Error('n8n has crashed');
		};
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

	private countEvent(): void {
		if (--this.eventsUntilCrash < 0) this.hasCrashed = true;
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
				items: items.map(({ person, tag }, index) => ({
					index,
					number: FIRST_NUMBER + person,
					tag,
					order: `${FIRST_NUMBER + person} https://example.com/${tag}.png`,
				})),
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
		this.eventsUntilCrash = settings.crashAt ?? Infinity;
		this.hasCrashed = false;
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
		this.eventsUntilCrash = Infinity;
		if (this.hasCrashed) {
			restart();
		} else if (settings.isFollowedByPause) {
			this.story.push('Time passes');
			await simulation.runToEnd();
		}
		this.hasCrashed = false;
	}

	private answer(
		name: string,
		start: Start,
		{ sendOnceId }: RunSettings,
		{ fault, isDelivered }: Ending,
		body: IDataObject,
	): Script {
		const image = toImage(body);
		const isUnclear = fault?.delivery === 'unknown';
		const arrives = !fault || (isUnclear && isDelivered);
		if (arrives) start.delivered.add(image);
		const id = this.idOf(image, sendOnceId);
		if (id && arrives) this.deliveredIds.set(id, (this.deliveredIds.get(id) ?? 0) + 1);
		if (arrives) this.deliveredImages.add(image);
		if (isUnclear) start.unclear.add(image);
		this.hasUnclear ||= isUnclear;
		const ending = fault ? `${fault.name}${arrives ? ', delivered' : ''}` : 'sent';
		this.story.push(`  ${name}: ${image}: ${ending}`);
		return fault?.script ?? { body: { id: `m${server.requests.length}` } };
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
		const { url, caption } = workflow;
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
			return this.answer(name, start, settings, endings.shift() ?? { isDelivered: true }, body);
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
			const expected = new Counts();
			for (const { image } of [...sentBefore, ...itemImages]) expected.add(image);
			// What was sent may have been a row that has another number now.
			const moved = workflow.mended ? start.earlierNames(itemImages) : [];
			const settledBy = (name: string) =>
				expected.get(name) + moved.filter((one) => one === name).length;
			// Nothing tells that such an item is one that is unknown.
			const isComputed = url === 'signed' && (caption === 'none' || caption === 'clock');
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

			const { retryOnFail, onError } = settings;
			const result = await runNode({
				mode,
				executionId,
				resumeToken: start.resumeToken,
				round,
				isInLoop: start.loop !== 'no',
				context,
				hooks,
				items,
				files: items.map(createFiles),
				parameters: toParameters(workflow, settings),
				settings: { onError, retryOnFail, maxTries: 2, waitBetweenTries: 1 },
				credential: { baseUrl: server.url, ...CREDENTIAL, token },
				onStart: ({ cancel }) => rounds.push(cancel),
			});
			const requested = server.requests
				.slice(before)
				.filter(({ headers }) => headers.token === token)
				.map(({ body }) => toImage(body as IDataObject));
			this.checkDelivered(start);
			if (settings.sendOnceId === 'typo' && requested.length > 0) {
				throw new Error('Something was requested without an ID');
			}
			if (this.hasCrashed) {
				this.story.push(`  n8n has crashed: ${name} can be retried: ${this.retryable.length}`);
				start.interruptions++;
				start.hasLookUpCrashed ||= !isFirst;
				this.retryable.push({ ...stored, isInterrupted: true });
				return;
			}
			start.hasParallelRuns ||= isParallel;
			const mayResend = (name: string) =>
				start.hasParallelRuns ||
				(settings.resendUncertain &&
					(start.hasLookUpCrashed ||
						start.changes > 0 ||
						start.hasRunBesideRetry ||
						start.loop === 'all' ||
						start.wanted(name) > 1));
			for (const name of requested.flatMap((image) => start.namesOf(image))) {
				if (isSettled.has(name) && !mayResend(name)) throw new Error(`${name} was requested again`);
			}
			// If an execution is stopped, n8n keeps the data with which it began.
			if (isStopped) {
				this.story.push(`  ${name} can be retried: ${this.retryable.length}`);
				this.retryable.push({ ...stored, isInterrupted: true });
				await hooks.store();
				return;
			}
			if (result.outputs.length === 0) {
				this.story.push(`  ${name} failed, and can be retried: ${this.retryable.length}`);
				this.retryable.push({
					start,
					mode,
					sendOnceId: settings.sendOnceId,
					workflow,
					items,
					isFromTrigger: false,
					round,
					context: JSON.stringify(context),
					sentInEarlierRounds: [...sentBefore],
				});
				await end();
				return;
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
			if (isFirst && !isParallel && round === 0 && settings.stopAt === undefined) {
				for (const [i, one] of results) {
					if (one === 'unknown' && start.unclear.get(recipientOf(images[i])) === 0) {
						throw new Error(`${images[i]} is unknown without a reason`);
					}
				}
			}
			for (const [i, one] of results) {
				if (one === 'sent') sentBefore.push(itemImages[i]);
				if (one === 'unknown') unknownBefore.push(itemImages[i]);
			}
			const settled = new Counts();
			for (const { image } of sentBefore) settled.add(image);
			for (const name of images.flatMap(namesOf)) start.settled.raise(name, settled.get(name));

			const failed = (result.outputs[1] ?? []).map(({ json }) => json);
			const next = { no: [], failed, all: items }[start.loop];
			if (next.length === 0 || round === stored.round + ROUNDS - 1) {
				await end();
				return;
			}
			items = next;
		}
	}

	/** Nobody has more images than the execution has items for them, or the same image twice, unless somebody accepted it. */
	private checkDelivered(start: Start): void {
		for (const [name, count] of start.delivered.entries()) {
			const isChecked = start.isStable || recipientOf(name) === name;
			if (isChecked && count > start.wanted(name) + start.accepted(name)) {
				throw new Error(`${name} was delivered ${count} times`);
			}
		}
		for (const [id, count] of this.deliveredIds) {
			const mayResend = this.starts.some(({ resendingExecutions }) => resendingExecutions > 0);
			if (count > 1 && !mayResend) {
				throw new Error(`The ID ${id} was delivered ${count} times`);
			}
		}
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
		if (delivery === undefined && !isDelivered) {
			throw new Error(`The ID ${id} counts as sent, but was not`);
		}
		// An item that is similar to one that is unknown is unknown, too.
		const isExplained =
			this.hasUnclear ||
			this.runningCount > 1 ||
			this.starts.some(({ interruptions }) => interruptions > 0);
		if (delivery === 'unknown' && !isExplained) {
			throw new Error(`The ID ${id} is unknown without a reason`);
		}
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
		const sent = new Counts();
		const perhaps = new Counts();
		for (const [i, one] of results) {
			if (one === 'sent') sent.add(images[i]);
			if (one === 'unknown') perhaps.add(images[i]);
		}
		for (const name of new Set(explained)) {
			perhaps.raise(name, perhaps.get(name) + explained.filter((one) => one === name).length);
		}
		const recipients = images.map(recipientOf);
		const isOnlyItem = (i: number) =>
			start.loop === 'no' && recipients.filter((other) => other === recipients[i]).length === 1;
		for (const [i, one] of results) {
			for (const name of start.namesOf(images[i])) {
				const delivered = start.delivered.get(name);
				// The image may have been another one.
				const mayDiffer = name !== recipients[i] && isOnlyItem(i);
				if (one === 'sent' && delivered < sent.get(name) && !mayDiffer) {
					throw new Error(`${name} counts as sent, but was not`);
				}
				const atMost = sent.get(name) + perhaps.get(name) + start.accepted(name);
				// A loop may have sent others of its images more often.
				const isKnown = start.loop === 'no' || recipientOf(name) !== name;
				if (one === 'notSent' && isKnown && delivered > atMost) {
					throw new Error(`${name} counts as not sent, but was`);
				}
			}
		}
	}
}

/** A row that is inserted has the recipient of the first one, and another image. */
function changeList(items: IDataObject[], list: Workflow['list']): IDataObject[] {
	if (list === 'reversed') return items.slice().reverse();
	if (list === 'shortened') return items.slice(1);
	if (list === 'asIs') return items;
	const { number } = items[0];
	return [
		{ index: 1000, number, tag: 2, order: `${String(number)} https://example.com/2.png` },
		...items,
	];
}

const endings: Arbitrary<Ending[]> = fc.array(
	fc.oneof(
		{ weight: 3, arbitrary: fc.constant<Ending>({ isDelivered: true }) },
		{
			weight: 2,
			arbitrary: fc.record({ fault: fc.constantFrom(...ENDINGS), isDelivered: fc.boolean() }),
		},
	),
	{ maxLength: 12 },
);

/** Undefined most of the time. */
const rarely = (max: number) =>
	fc.oneof(
		{ weight: 3, arbitrary: fc.constant(undefined) },
		{ weight: 1, arbitrary: fc.nat({ max }) },
	);

const settings: Arbitrary<RunSettings> = fc.record({
	onError: fc.constantFrom('stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'),
	retryOnFail: fc.boolean(),
	concurrency: fc.constantFrom(1, 1, 3),
	resendUncertain: fc.constantFrom(false, false, false, true),
	sendOnceId: fc.oneof(
		{ weight: 36, arbitrary: fc.constant('off' as const) },
		{ weight: 3, arbitrary: fc.constant('typo' as const) },
		{ weight: 9, arbitrary: fc.constantFrom('order' as const, 'shared' as const) },
	),
	loop: fc.constantFrom('no', 'no', 'failed', 'all'),
	endings,
	crashAt: rarely(15),
	stopAt: rarely(6),
	isFollowedByPause: fc.boolean(),
});

const items: Arbitrary<Item[]> = fc
	.oneof(
		{ weight: 9, arbitrary: fc.integer({ min: 1, max: 5 }) },
		{ weight: 1, arbitrary: fc.integer({ min: 6, max: 30 }) },
	)
	.chain((length) =>
		fc.array(fc.record({ person: fc.nat({ max: 3 }), tag: fc.nat({ max: 1 }) }), {
			minLength: length,
			maxLength: length,
		}),
	);

const atOnce = fc.constantFrom(false, false, false, true);

const isRerun = fc.constantFrom(false, false, false, true);

const start = fc.record({ start: fc.record({ items, settings, atOnce, isRetried: isRerun }) });

const steps: Arbitrary<Step> = fc.oneof(
	{ weight: 1, arbitrary: start },
	{
		weight: 4,
		arbitrary: fc.record({
			retry: fc.record({
				execution: fc.nat({ max: 5 }),
				workflow: fc.constantFrom('original', 'current'),
				settings,
				atOnce,
				isRerun,
			}),
		}) as Arbitrary<Step>,
	},
	{
		weight: 2,
		arbitrary: fc.record({
			edit: fc.oneof(
				fc.record({ caption: fc.constantFrom(...keysOf(CAPTIONS)) }),
				fc.record({ url: fc.constantFrom(...keysOf(URLS)) }),
				fc.record({ note: fc.nat({ max: 1 }) }),
				fc.record({ list: fc.constantFrom('asIs', 'reversed', 'inserted', 'shortened') }),
				fc.record({
					mended: fc.option(fc.record({ item: fc.nat({ max: 2 }), person: fc.nat({ max: 3 }) }), {
						nil: undefined,
					}),
				}),
			),
		}),
	},
);

function keysOf<T extends object>(object: T): Array<keyof T> {
	return Object.keys(object) as Array<keyof T>;
}

/** Ways in which a model writes the same number. */
const WORDINGS: Array<(digits: string) => IDataObject> = [
	(digits) => ({ number: digits, tag: 0 }),
	(digits) => ({ tag: 0, number: `+${digits}` }),
	(digits) => ({ number: ` 00${digits}`, tag: 0 }),
	(digits) => ({
		tag: 0,
		number: `+${digits.slice(0, 2)} ${digits.slice(2, 6)}-${digits.slice(6)}`,
	}),
	(digits) => ({ number: Number(digits), tag: 0, remark: 'again' }),
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
	simulation.begin(course);
	const start = new Start('the agent', 'no');
	let eventsUntilCrash = Infinity;
	let ending: Ending;
	const countEvent = () => --eventsUntilCrash < 0;
	store.reset();
	store.onCall = () => {
		if (countEvent()) throw new Error('n8n has crashed');
	};
	server.onRequest(({ body }) => {
		const dropped: Script = (_response, socket) => socket.destroy();
		if (eventsUntilCrash < 0) return dropped;
		const image = toImage(body as IDataObject);
		const arrives = !ending.fault || (ending.fault.delivery === 'unknown' && ending.isDelivered);
		if (arrives) start.delivered.add(image);
		story.push(`  ${image}: ${ending.fault?.name ?? 'sent'}${arrives ? ', delivered' : ''}`);
		return countEvent() ? dropped : (ending.fault?.script ?? { body: { id: 'm' } });
	});
	let storedContext = '{}';
	const unknown = new Set<string>();
	for (const [execution, { calls, crashAt, isFollowedByPause }] of executions.entries()) {
		story.push(`Execution ${execution}`);
		eventsUntilCrash = crashAt ?? Infinity;
		const context = JSON.parse(storedContext) as IDataObject;
		const hooks = new HeldHooks();
		const made: ItemImage[] = [];
		const sent = new Counts();
		for (const [round, call] of calls.entries()) {
			const input = WORDINGS[call.wording](String(FIRST_NUMBER + call.person));
			const image = `${FIRST_NUMBER + call.person} https://example.com/0.png Hello`;
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
				parameters: {
					operation: 'sendImage',
					number: '={{ $json.number }}',
					url: URLS.plain,
					caption: 'Hello',
					options: { timeout: TIMEOUT_MS },
				},
				settings: {
					type: 'n8n-nodes-messaging-account.messagingAccountTool',
					onError: 'continueRegularOutput',
				},
				credential: { baseUrl: server.url, ...CREDENTIAL },
			});
			const { outputs } = await simulation.runUntil(run);
			if (eventsUntilCrash < 0) break;
			const result = resultOf(outputs[0][0].json);
			story.push(`  call for ${JSON.stringify(input)}: ${result}`);
			if (unknown.has(image) && server.requests.length > before) {
				throw new Error(`${image} was requested again`);
			}
			if (result === 'unknown') unknown.add(image);
			if (result === 'sent') sent.add(image);
			const delivered = start.delivered.get(image);
			if (result === 'sent' && delivered < sent.get(image)) {
				throw new Error(`${image} counts as sent, but was not`);
			}
			if (result === 'notSent' && delivered > start.wanted(image) - 1) {
				throw new Error(`${image} counts as not sent, but was`);
			}
			if (delivered > start.wanted(image)) {
				throw new Error(`${image} was delivered ${delivered} times`);
			}
		}
		if (eventsUntilCrash < 0) {
			story.push('  n8n has crashed');
			restart();
		} else {
			storedContext = JSON.stringify(context);
			await hooks.store();
			if (isFollowedByPause) await simulation.runToEnd();
		}
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

const ONE_ITEM: Item[] = [{ person: 0, tag: 0 }];

const startOf = (items: Item[], settings: Partial<RunSettings> = {}) => ({
	start: { items, settings: { ...PLAIN, ...settings }, atOnce: false, isRetried: false },
});
const retryOf = (
	execution: number,
	workflow: Retry['workflow'],
	settings: Partial<RunSettings> = {},
	atOnce = false,
) => ({
	retry: { execution, workflow, settings: { ...PLAIN, ...settings }, atOnce, isRerun: false },
});
const endingOf = (name: string, isDelivered = false): Ending => ({
	fault: FAULTS.find((one) => one.name === name)!,
	isDelivered,
});
const REDIRECTED = endingOf('HTTP 301, to another origin');

/** What nights and slow machines have found, and few runs would find again. */
const FOUND_BEFORE: History[] = [
	[
		startOf(ONE_ITEM, { sendOnceId: 'order' }),
		[
			startOf(
				[0, 0, 0, 1, 1, 0].map((person) => ({ person, tag: 0 })),
				{ endings: [REDIRECTED] },
			),
			retryOf(
				0,
				'original',
				{ sendOnceId: 'order', endings: [endingOf('two different content lengths')] },
				true,
			),
		],
		{ order: 0, durations: [0, 0, 0, 800] },
	],
	// The retry of an execution that still ran reached the node after its end.
	[
		{ start: { items: ONE_ITEM, settings: PLAIN, atOnce: false, isRetried: true } },
		[],
		{ order: 485498650, durations: [800] },
	],
	// What was sent was a row that has another number now. The other one of its recipient had been skipped.
	[
		startOf([{ person: 3, tag: 1 }, ...ONE_ITEM, { person: 3, tag: 0 }], {
			endings: [{ isDelivered: true }, REDIRECTED],
		}),
		[
			retryOf(0, 'original', { endings: [REDIRECTED] }),
			retryOf(0, 'original', { sendOnceId: 'shared' }),
			{ edit: { mended: { item: 0, person: 0 } } },
			retryOf(1, 'current'),
		],
		{ order: 0, durations: [] },
	],
	// In the second round of a loop, nothing tells that an item whose image and caption were edited is one that is unknown.
	[
		startOf(ONE_ITEM, {
			loop: 'all',
			endings: [endingOf('success: false, with the field or not', true)],
		}),
		[
			{ edit: { url: 'signed', caption: 'field' } },
			retryOf(0, 'current', { onError: 'continueErrorOutput' }),
		],
		{ order: 0, durations: [] },
	],
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

testIfToldApart(
	`in ${HISTORY_COUNT} histories nobody gets an image twice, and every report is true`,
	async () => {
		const property = fc.asyncProperty(
			start,
			fc.array(steps, { maxLength: 7 }),
			courses,
			async (first, more, course) =>
				await tell(async (story) => {
					const world = new World(story, course);
					for (const step of [first, ...more]) await world.play(step);
				}),
		);
		await fc.assert(property, { numRuns: HISTORY_COUNT, examples: FOUND_BEFORE });
	},
	TIMEOUT_MS,
);

testIfToldApart(
	`in ${AGENT_HISTORY_COUNT} histories an agent sends nothing twice that it has not asked for twice`,
	async () => {
		const property = fc.asyncProperty(
			agentExecutions,
			courses,
			async (executions, course) =>
				await tell(async (story) => await playAgent(executions, course, story)),
		);
		await fc.assert(property, { numRuns: AGENT_HISTORY_COUNT });
	},
	TIMEOUT_MS,
);
