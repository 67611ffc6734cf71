import { groupBy } from '../shared/groupBy';
import { judgeAfterCrash, mayHaveUsedId } from './record/afterCrash';
import { type Attempt, mayBeSent, toContentSeries, unknownBecause } from './attempt';
import type { Send } from './send';
import type { SendLog } from './log/sendLog';
import type { SendOnceIds } from './sendOnceIds';
import type { SendRecord } from './record/sendRecord';

const LOST = unknownBecause('it is not on record any more');

/**
 * Finds the outcomes of earlier attempts at the sends of one run: in the log and, if that is not complete, on record.
 *
 * This must always be true: before a send is decided on, all that were added before it are matched, and each attempt counts for one of them.
 */
export class EarlierOutcomes {
	/** Not matched with earlier attempts yet. */
	private readonly planned: Send[] = [];
	/** If it fails, so does the rest of the run: a retry looks up again. */
	private lastLookUp: Promise<void>;

	/** @param onFound called once with the sends of each look-up */
	constructor(
		private readonly log: SendLog,
		private readonly record: SendRecord,
		private readonly ids: SendOnceIds,
		private readonly onFound: (sends: Send[]) => Promise<void>,
	) {
		this.lastLookUp = record.executions.startRetry();
		// Each send that waits for it reports the error.
		this.lastLookUp.catch(() => {});
	}

	add(send: Send): void {
		this.planned.push(send);
	}

	/** Finds the outcomes of earlier attempts at all sends that were added. @throws DatabaseError */
	async resolve(): Promise<void> {
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
		return await this.lastLookUp.then(() => this.record.executions.isComplete).catch(() => false);
	}

	/** Adds to the log what only the record knows. @throws DatabaseError */
	async findOnRecord(sends: Send[]): Promise<void> {
		const { log, record } = this;
		const { executions } = record;
		if (executions.isComplete) return;
		const mayFindMore = (one: Send) =>
			!log.attemptOf(one).isLookedUp && log.earlierOf(one)?.is !== 'sent';
		const undecided = sends.filter(mayFindMore);
		const recipients = groupBy(undecided, (one) => one.recipientHash);
		const logged = new Map([...recipients.keys()].map((one) => [one, log.stored.attemptsAt(one)]));
		const contents = [...undecided, ...[...logged.values()].flat()].map(toContentSeries);
		const marks = await record.find(new Set([...recipients.keys(), ...contents]));
		const usedIds = await this.ids.findUsed(undecided.filter((one) => mayHaveUsedId(one, marks)));
		for (const [recipient, group] of recipients) {
			const knownInLog = new Set(group.filter((one) => log.earlierOf(one)));
			const alsoOnRecord = logged.get(recipient)!.filter((one) => this.isAlsoOnRecord(one));
			const outcomes = judgeAfterCrash(group, { knownInLog, alsoOnRecord, marks, usedIds });
			for (const send of group) {
				const outcome = outcomes.get(send) ?? (executions.stored.hasLost ? LOST : undefined);
				if (outcome) log.addEarlier(send, outcome);
			}
		}
	}

	/** Returns the number of attempts that were made or may have been, also of items that this execution has not come to. @throws DatabaseError */
	async countMade(): Promise<number> {
		const made = this.log.stored.list().filter((one) => mayBeSent(one.outcome));
		// One that was looked up in an earlier retry has no place.
		const inBoth = made.filter((one) => !one.place || this.isAlsoOnRecord(one)).length;
		return made.length - inBoth + Math.max(inBoth, await this.record.countMade());
	}

	/** Whether an attempt in the log is also among those on record of executions that the log does not know. */
	private isAlsoOnRecord({ outcome, isLookedUp, place }: Attempt): boolean {
		const { notInLog } = this.record.executions.stored;
		const isOnRecord = place !== undefined && notInLog.includes(place.execution);
		return mayBeSent(outcome) && (isLookedUp === true || isOnRecord);
	}
}
