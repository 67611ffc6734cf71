import type { IDataObject, INodeParameters } from 'n8n-workflow';

/** A night of histories takes ten minutes, more on a busy machine. */
export const TIMEOUT_MS = 3_600_000;

/** Another number for each item each time, so that no two sends get the same by chance. */
const DRAWN = '{{ $now.toMillis() }}{{ $json.index }}{{ $execution.id }}';

/** Each as it is entered, and as a person would call it, for an item with a note: see `toImage`. */
export const CAPTIONS = {
	none: ['', () => ''],
	fixed: ['Hello', () => 'Hello'],
	other: ['Good morning', () => 'Good morning'],
	computed: ['={{ "Hel" + "lo" }}', () => 'Hello'],
	field: ['={{ $json.note }}', (note: string) => note],
	clock: [`=Note {{ $json.note }}, clock ${DRAWN}`, (note: string) => `Note ${note}, clock `],
} as const;

const URL_OF_TAG = '=https://example.com/{{ $json.tag }}.png';
export const URLS = {
	plain: [URL_OF_TAG, () => ''],
	signed: [
		`${URL_OF_TAG}?note={{ $json.note }}&signed=${DRAWN}`,
		(note: string) => `?note=${note}&signed=`,
	],
} as const;

export const SEND_ONCE_IDS = {
	off: '',
	order: '={{ $json.order }}',
	/** Of several people. */
	shared: '=spring {{ $json.tag }}',
};

export type SendOnceId = keyof typeof SEND_ONCE_IDS;

/** Client IDs: a fixed one, or two from expressions, each of which has IDs of its own. */
export const ACCOUNTS = { fixed: 'client', own: '={{ "own" }}', other: '={{ "other" }}' };

/** What a person can edit between two executions. */
export interface Workflow {
	caption: keyof typeof CAPTIONS;
	url: keyof typeof URLS;
	/** An expression that gives this item another number. */
	mended?: { item: number; person: number };
	/** An earlier node adds this to each item. */
	note: number;
	/** What an earlier node makes of the list, e.g. because a sheet was edited. */
	list: 'asIs' | 'reversed' | 'inserted' | 'shortened' | 'swapped';
	account: keyof typeof ACCOUNTS;
	/** Whether a fresh node has taken the place of the one that sends. */
	isReplaced: boolean;
}

export const UNEDITED: Workflow = {
	caption: 'fixed',
	url: 'plain',
	note: 0,
	list: 'asIs',
	account: 'fixed',
	isReplaced: false,
};

/** Another one for each number of replacements. */
export const FRESH = { id: 'fresh', name: 'Fresh' };

export const FIRST_NUMBER = 49151000000;

export function createItem(index: number, number: number, tag: number): IDataObject {
	return { index, number, tag, order: `${number} https://example.com/${tag}.png` };
}

function numberOf({ index, number }: IDataObject, { mended }: Workflow): number {
	return mended && mended.item === index ? FIRST_NUMBER + mended.person : (number as number);
}

/** The settings of a run that are parameters. */
interface Options {
	concurrency: number;
	resendUncertain: boolean;
	sendOnceId: SendOnceId;
}

export function toParameters(workflow: Workflow, settings: Options): INodeParameters {
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
export function toImage({ number, url, caption = '' }: IDataObject): string {
	return [number, url, caption].join(' ').replace(/(clock |signed=)\d+/g, '$1');
}

export function imageOf(item: IDataObject, workflow: Workflow): string {
	const [note, tag] = [String(item.note), String(item.tag)];
	const url = `https://example.com/${tag}.png${URLS[workflow.url][1](note)}`;
	const caption = CAPTIONS[workflow.caption][1](note);
	return toImage({ number: numberOf(item, workflow), url, caption });
}

/** A row that is inserted has the recipient of the first one, and another image. */
export function changeList(items: IDataObject[], list: Workflow['list']): IDataObject[] {
	if (list === 'reversed') return items.slice().reverse();
	if (list === 'shortened') return items.slice(1);
	// The first row is gone, and another one of the same person is there.
	if (list === 'swapped')
		return [createItem(1001, items[0].number as number, 3), ...items.slice(1)];
	if (list === 'asIs') return items;
	return [createItem(1000, items[0].number as number, 2), ...items];
}
