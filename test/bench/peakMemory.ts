/* eslint-disable @n8n/community-nodes/no-restricted-imports -- the bench reads files in /proc */
import { readFile, writeFile } from 'node:fs/promises';

/**
 * Starts measuring the peak memory of a process. Linux keeps track of the peak, so none is missed.
 *
 * @returns stops measuring, and returns the peak above the initial resident memory in bytes; undefined on other systems
 */
export async function watchPeakMemory(pid: number): Promise<() => Promise<number | undefined>> {
	try {
		// Writing 5 resets the peak to the current size: proc(5).
		await writeFile(`/proc/${pid}/clear_refs`, '5');
	} catch {
		return async () => undefined;
	}
	const idle = await readPeak(pid);
	return async () => (await readPeak(pid)) - idle;
}

async function readPeak(pid: number): Promise<number> {
	const status = await readFile(`/proc/${pid}/status`, 'utf8');
	return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)![1]) * 1024;
}
