import type { IDataObject } from 'n8n-workflow';

import type { Execution } from '../../tools/n8n/rest';
import { respondAfter, type RecordedRequest, type ScriptedServer } from '../support/scriptedServer';
import { REFUSED } from '../support/sendService';
import { NODE } from '../support/webhookWorkflow';

export interface Row {
	number: string;
	/** Different in each row, and begins with the number of the list. */
	caption: string;
	index: number;
}

/** A list that n8n sends until it is killed. */
export interface KilledList {
	rows: Row[];
	/** How long the service takes. */
	serviceMs: number;
	/** The request, from 1, that never ends, although the image is delivered. */
	stallsAt: number;
	/** The service refuses these. */
	isRefused?: (row: Row) => boolean;
}

/** @param perPerson how many images each person gets, one after another */
export function createRows(list: number, length: number, perPerson = 1): Row[] {
	return Array.from({ length }, (_, index) => ({
		number: String(49_151_000_000 + 1000 * list + Math.floor(index / perPerson)),
		caption: `List ${list}, picture ${index}`,
		index,
	}));
}

/** Parameters of Send Image to a row, with an image and a caption that no other row has. */
export const toRow = (options: IDataObject) => ({
	operation: 'sendImage',
	number: '={{ $json.number }}',
	url: '=https://example.com/{{ encodeURIComponent($json.caption) }}.png',
	caption: '={{ $json.caption }}',
	options: { includeInputFields: true, ...options },
});

/** What is told of a row. */
export type Told = ReturnType<typeof readTold>[number];

/** Returns what the runs of the node tell of their rows, and whether the image of a row counts as sent. */
export function readTold({ data }: Execution) {
	const outputs = data.resultData.runData[NODE].flatMap((run) => run.data!.main[0]!);
	return outputs.map(({ json }) => {
		const { delivery } = (json.error ?? json) as IDataObject;
		const isSent = !json.error && !delivery && json.reason !== 'changed';
		const { caption, number } = json as unknown as Row;
		return { caption, number, isSent, reason: json.reason, delivery, json };
	});
}

export const captionsOf = (some: Told[]) => some.map(({ caption }) => caption);

/** A service that notes what it delivers. */
export class Deliveries {
	/** The caption of each image that was delivered. */
	readonly captions: string[] = [];

	constructor(private readonly server: ScriptedServer) {}

	/** Delivers images until each list has stalled. @param lists by their number */
	async untilStalled(lists: Record<number, KilledList>): Promise<void> {
		const left = new Set(Object.values(lists));
		const counts = new Map<KilledList, number>();
		await new Promise<void>((resolve) =>
			this.server.onRequest((request) => {
				const caption = captionOf(request);
				const list = lists[Number(/^List (\d+)/.exec(caption)![1])];
				const row = list.rows.find((one) => one.caption === caption)!;
				if (list.isRefused?.(row)) return REFUSED;
				this.captions.push(caption);
				const count = (counts.get(list) ?? 0) + 1;
				counts.set(list, count);
				if (count < list.stallsAt) return respondAfter(list.serviceMs, { id: 'm' });
				left.delete(list);
				if (left.size === 0) resolve();
				return () => {};
			}),
		);
	}

	/** Delivers all images from now on. */
	deliverAll(): void {
		this.server.onRequest((request) => {
			this.captions.push(captionOf(request));
			return { body: { id: 'm' } };
		});
	}

	/** Expects that nobody got an image twice, and that what is told is true. */
	expectTrue(told: Told[]): void {
		const { captions } = this;
		expect(captions.filter((caption, i) => captions.indexOf(caption) !== i)).toEqual([]);
		const untrue = told.filter(({ caption, isSent }) => isSent && !captions.includes(caption));
		expect(captionsOf(untrue)).toEqual([]);
		expect(captionsOf(told.filter(({ delivery }) => delivery === 'notSent'))).toEqual([]);
	}
}

const captionOf = ({ body }: RecordedRequest) => (body as IDataObject).caption as string;
