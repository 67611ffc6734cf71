/** The keys of a run that has ended, to be removed as soon as its execution is stored. */
interface EndedRun {
	/** The node's context, which is part of the execution. */
	nodeContext: WeakRef<object>;
	/** Must not refer to the context. */
	getKeys: () => string[];
	/** Those that are left, once they are known. */
	keys?: string[];
}

/** By node, in memory: after a restart of n8n, keys stay on record until newer ones take their place. */
const endedRuns = new Map<string, EndedRun[]>();

const registered = new WeakSet<object>();

/**
 * Registers the run of a node that has ended. Its execution may still be running and n8n may crash, so its keys are needed
 * until n8n has stored the execution. n8n tells nodes nothing about that, but it lets go of an execution only after it has
 * stored it: then the node's context is garbage.
 */
export function registerEndedRun(node: string, nodeContext: object, getKeys: () => string[]): void {
	if (registered.has(nodeContext)) return;
	registered.add(nodeContext);
	const run: EndedRun = { nodeContext: new WeakRef(nodeContext), getKeys };
	endedRuns.set(node, [...(endedRuns.get(node) ?? []), run]);
}

/** Returns up to `limit` keys that are no longer needed, and forgets them. */
export function takeUnneededKeys(node: string, limit: number): string[] {
	const taken: string[] = [];
	const runs = endedRuns.get(node) ?? [];
	for (const run of runs) {
		if (taken.length === limit) break;
		if (run.nodeContext.deref()) continue;
		run.keys ??= run.getKeys();
		taken.push(...run.keys.splice(0, limit - taken.length));
	}
	const left = runs.filter(({ keys }) => keys?.length !== 0);
	if (left.length > 0) endedRuns.set(node, left);
	else endedRuns.delete(node);
	return taken;
}
