import { groupBy } from '../shared/groupBy';
import type { Attempt, Send } from './attempt';
import { FIRST, type Mark, type Place, type RecordKeys, toContentSeries } from './recordKeys';
import type { OnRecord } from './rule';

/** Reads the record of the attempts of some executions. */
export class RecordReader {
	/** @param find returns those of some keys that are there, and the key of look-ups if one was interrupted */
	constructor(
		private readonly find: (keys: string[]) => Promise<Set<string>>,
		private readonly keys: RecordKeys,
		private readonly executions: number[],
	) {}

	/** Reads the marks of attempts at the recipients of some sends, by recipient. @param attemptsAt returns those in the log */
	async read(
		sends: Send[],
		attemptsAt: (recipient: string) => Attempt[],
	): Promise<Map<string, OnRecord>> {
		const attempts = await this.readSeries(new Set(sends.map(({ recipient }) => recipient)));
		const tried = sends.filter(({ recipient }) => attempts.get(recipient)!.length > 0);
		const byRecipient = groupBy<string, Attempt>(tried, ({ recipient }) => recipient);
		for (const [recipient, group] of byRecipient) group.push(...attemptsAt(recipient));
		const series = new Set([...byRecipient.values()].flat().map(toContentSeries));
		const copies = await this.readSeries(series);
		const toNth = (one: Place) => ({ ...one, series: one.series.split('.')[0], number: 0 });
		const firsts = await this.readMarks(this.toPlaces(series, FIRST), toNth);
		for (const [place, mark] of firsts) copies.get(place.series)!.push(mark);
		const toEntry = (one: Attempt) => [one.content, copies.get(toContentSeries(one))!] as const;
		const toOnRecord = ([recipient, marks]: [string, Mark[]]): [string, OnRecord] => {
			const byContent = new Map((byRecipient.get(recipient) ?? []).map(toEntry));
			return [recipient, { attempts: marks, byContent }];
		};
		return new Map([...attempts].map(toOnRecord));
	}

	/** Returns the marks of all attempts in some series, by series. */
	private async readSeries(series: Set<string>): Promise<Map<string, Mark[]>> {
		const marks = new Map<string, Mark[]>([...series].map((one) => [one, []]));
		let open = this.toPlaces(series, 0);
		for (let first = 0, count = 1; open.length > 0; first += count, count *= 2) {
			const numbers = Array.from({ length: count }, (_, i) => first + i);
			const blocks = open.map((one) => numbers.map((number) => ({ ...one, number })));
			const found = await this.readMarks(blocks.flat(), (place) => place);
			for (const [place, mark] of found) marks.get(place.series)!.push(mark);
			open = open.filter((_, i) => found.has(blocks[i][count - 1]));
		}
		return marks;
	}

	/** @param toEnd returns the place that shows how the attempt has ended */
	private async readMarks(places: Place[], toEnd: (place: Place) => Place) {
		const { keys } = this;
		const begun = await this.find(places.map((place) => keys.place('begun', place)));
		const found = places.filter((place) => begun.has(keys.place('begun', place)));
		const toKeys = (mark: Mark) => found.map((place) => keys.place(mark, toEnd(place)));
		const ended = await this.find([...toKeys('sent'), ...toKeys('notSent')]);
		// After an interrupted look-up, they do not show how an attempt has ended.
		if (ended.has(keys.lookUp())) ended.clear();
		const isIn = (mark: Mark, place: Place) => ended.has(keys.place(mark, toEnd(place)));
		const toMark = (place: Place) =>
			(['sent', 'notSent'] as const).find((mark) => isIn(mark, place)) ?? 'begun';
		return new Map<Place, Mark>(found.map((place) => [place, toMark(place)]));
	}

	private toPlaces(series: Set<string>, number: number): Place[] {
		const ofOne = (one: string) =>
			this.executions.map((execution) => ({ execution, series: one, number }));
		return [...series].flatMap(ofOne);
	}
}
