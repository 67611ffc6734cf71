import { groupBy } from '../shared/groupBy';
import { type Attempt, mayBeSent, type Outcome, toContentSeries } from './attempt';
import { judge } from './rule';
import type { Send } from './send';
import type { SendLog } from './sendLog';
import type { SendRecord } from './sendRecord';

const LOST: Outcome = { is: 'unknown', reason: 'it is not on record any more' };

/** Finds the outcomes of earlier attempts at the sends of one run: in the log and, if that is not complete, on record. */
export class History {
	/** The sends that are not matched with earlier attempts yet. */
	private readonly planned: Send[] = [];
	private lastLookUp: Promise<void>;

	/** @param onFound called once with the sends of each look-up */
	constructor(
		private readonly log: SendLog,
		private readonly record: SendRecord,
		private readonly onFound: (sends: Send[]) => Promise<void>,
	) {
		this.lastLookUp = record.lineage.startRetry();
		// Each send that waits for it reports the error.
		this.lastLookUp.catch(() => {});
	}

	/** Adds a send. Call this in the order of the items. */
	add(send: Send): void {
		this.planned.push(send);
	}

	/** Finds the outcomes of earlier attempts at all sends that were added. @throws DatabaseError */
	async lookUp(): Promise<void> {
		const sends = this.planned.splice(0);
		if (sends.length > 0) {
			this.log.match(sends);
			this.lastLookUp = this.lastLookUp.then(async () => {
				await this.findOnRecord(sends);
				await this.onFound(sends);
			});
		}
		await this.lastLookUp;
	}

	/** Whether all earlier attempts are known. If they are not, an item that cannot be read may have had one. */
	async isComplete(): Promise<boolean> {
		// Without the record, nobody knows.
		return await this.lastLookUp.then(() => this.record.lineage.isComplete).catch(() => false);
	}

	/** Adds to the log what only the record knows. @throws DatabaseError */
	async findOnRecord(sends: Send[]): Promise<void> {
		const { log } = this;
		const { lineage } = this.record;
		if (lineage.isComplete) return;
		const open = sends.filter(
			(one) => !log.attemptOf(one).isFound && log.earlierOf(one)?.is !== 'sent',
		);
		const known = new Set(open.filter((one) => log.earlierOf(one)));
		const recipients = new Set(open.map(({ recipientHash }) => recipientHash));
		const logged = [...recipients].flatMap((recipient) => log.attemptsAt(recipient));
		const contents = [...open, ...logged].map(toContentSeries);
		const marks = await this.record.find(new Set([...recipients, ...contents]));
		const isOnRecord = ({ isFound, place }: Attempt) =>
			isFound || (place && lineage.stored.unknown.includes(place.execution));
		const inLog = logged.filter((one) => mayBeSent(one.outcome) && isOnRecord(one));
		const inLogOf = groupBy(inLog, (one) => one.recipientHash);
		for (const [recipient, group] of groupBy(open, (send) => send.recipientHash)) {
			const alsoInLog = inLogOf.get(recipient) ?? [];
			const ofGroup = new Set(group.filter((one) => known.has(one)));
			const outcomes = judge(group, ofGroup, alsoInLog, marks);
			for (const send of group) {
				const outcome = outcomes.get(send) ?? (lineage.stored.hasLost ? LOST : undefined);
				if (outcome) log.addEarlier(send, outcome);
			}
		}
	}
}
