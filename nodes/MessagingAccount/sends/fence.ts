import type { ProcessedData } from '../n8n/processedData';
import type { ExecutionKeys } from './executionKeys';

/**
 * Stops an execution that n8n shows as ended, and that still runs, once a retry of it has begun.
 *
 * This must always be true: of the executions that retry one another, only the latest one may send. Each write of an execution adds two keys
 * again, a witness and the owner, and a retry removes the owner. Another process can only overwrite or write back both. So where only the
 * owner is missing, a retry has removed it. A look-up of the retry's own key could be written back.
 */
export class Fence {
	constructor(
		private readonly data: ProcessedData,
		private readonly keys: ExecutionKeys,
	) {}

	/** Returns what each write of an execution adds: the witness and, behind it, the owner. */
	keysOf(number: number): [string, string] {
		return [this.keys.create('witness', number), this.keys.create('owner', number)];
	}

	/** Whether a retry has fenced an execution off. @param known the keys that were on record before a write of the execution */
	hasFencedOff(number: number, known: Set<string>): boolean {
		const [witness, owner] = this.keysOf(number);
		// An execution without a secret is not fenced off: a later one may be equal, and no retry.
		return this.keys.isUnique && known.has(witness) && !known.has(owner);
	}

	/** Fences executions off, now and again if another process writes their owners back. @throws DatabaseError */
	async fenceOff(numbers: number[]): Promise<void> {
		if (!this.keys.isUnique) return;
		const owners = numbers.map((number) => this.keysOf(number)[1]);
		await this.data.remove(owners);
		this.data.removeSoon(owners);
	}
}
