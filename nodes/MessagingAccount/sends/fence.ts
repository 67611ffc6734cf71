import type { ProcessedData } from '../n8n/processedData';
import type { ExecutionKeys } from './executionKeys';

/*
 * A fence stops an execution that n8n shows as ended, and that still runs, once a retry of it has begun.
 *
 * This must always be true: of the executions that retry one another, only the latest one may send. Each write of an execution adds two keys
 * again, a witness and the owner, and a retry removes the owner. Another process can only overwrite or write back both. So where only the
 * owner is missing, a retry has removed it. A look-up of the retry's own key could be written back.
 *
 * Without a secret, nothing is fenced off: a later execution may be equal, and no retry.
 */

/** Whether a retry has fenced an execution off. @param known the keys that were on record before a write of the execution */
export function isFencedOff(keys: ExecutionKeys, number: number, known: Set<string>): boolean {
	const [witness, owner] = keys.fence(number);
	return keys.isUnique && known.has(witness) && !known.has(owner);
}

/** Whether a retry has begun before the owner of this execution was on record, so that it could not remove it. @throws DatabaseError */
export async function isOvertaken(data: ProcessedData, keys: ExecutionKeys, number: number) {
	return keys.isUnique && (await data.findSure([keys.execution(number + 1)])).size > 0;
}

/** Fences executions off, now and again if another process writes their owners back. @throws DatabaseError */
export async function fenceOff(data: ProcessedData, keys: ExecutionKeys, numbers: number[]) {
	if (!keys.isUnique) return;
	const owners = numbers.map((number) => keys.fence(number)[1]);
	await data.remove(owners);
	data.removeSoon(owners);
}
