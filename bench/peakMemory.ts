import { readFile, writeFile } from 'node:fs/promises';

/** In bytes. */
export interface PeakMemory {
	/** Above the idle process. */
	peakMemory?: number;
	/** Of the process. */
	wholePeakMemory?: number;
}

/**
 * Starts measuring the peak memory of a process. Linux keeps track of the peak, so none is missed.
 *
 * @returns stops measuring, and returns the peak; nothing on other systems
 */
export async function watchPeakMemory(pid: number): Promise<() => Promise<PeakMemory>> {
	try {
		// Writing 5 resets the peak to the current size: proc(5).
		await writeFile(`/proc/${pid}/clear_refs`, '5');
	} catch {
		return async () => ({});
	}
	const idle = await readPeak(pid);
	return async () => {
		const wholePeakMemory = await readPeak(pid);
		return { wholePeakMemory, peakMemory: wholePeakMemory - idle };
	};
}

async function readPeak(pid: number): Promise<number> {
	const status = await readFile(`/proc/${pid}/status`, 'utf8');
	return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)![1]) * 1024;
}
