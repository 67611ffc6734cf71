/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- not part of the published node: it looks after the processes it starts */
import type { ChildProcess } from 'node:child_process';

const running = new Set<ChildProcess>();

process.on('exit', () => {
	for (const child of running) child.kill();
});

/** However this process ends, the child does not outlive it: an interruption may come before anyone waits for it. */
export function endWithThisProcess(child: ChildProcess): void {
	running.add(child);
	child.once('exit', () => running.delete(child));
}
