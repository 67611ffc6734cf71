/* eslint-disable @n8n/community-nodes/no-restricted-imports -- the bench reads what the system knows of a process */
import { readFile, writeFile } from 'node:fs/promises';

/**
 * Begins to measure the peak of a process's memory: Linux keeps it, so no peak is missed between two looks.
 *
 * @returns what ends it and gives the bytes of resident memory that the peak was over the present size; undefined where
 * there is no Linux to ask
 */
export async function watchPeakMemory(pid: number): Promise<() => Promise<number | undefined>> {
	try {
		// 5 sets the peak back to the present size (proc(5)).
		await writeFile(`/proc/${pid}/clear_refs`, '5');
	} catch {
		return async () => undefined;
	}
	const idle = await peakOf(pid);
	return async () => (await peakOf(pid)) - idle;
}

async function peakOf(pid: number): Promise<number> {
	const status = await readFile(`/proc/${pid}/status`, 'utf8');
	return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)![1]) * 1024;
}
