import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';

/** For Node.js, which then prints an address of its choice. */
export const INSPECT = '--inspect=127.0.0.1:0';

/** Measures the memory of an n8n that was started with `INSPECT`. Answers one call at a time. */
export class N8nMemory {
	private constructor(private readonly socket: WebSocket) {}

	/** @param log of n8n */
	static async connect(log: string): Promise<N8nMemory> {
		const [address] = /ws:\/\/127\.0\.0\.1:\S+/.exec(log)!;
		const socket = new WebSocket(address);
		await once(socket, 'open');
		return new N8nMemory(socket);
	}

	async collectGarbage(): Promise<void> {
		await this.call('HeapProfiler.collectGarbage');
	}

	/** Returns the bytes in use after a garbage collection. */
	async measureLiveHeap(): Promise<number> {
		await this.collectGarbage();
		return (await this.call<{ usedSize: number }>('Runtime.getHeapUsage')).usedSize;
	}

	/**
	 * Starts to watch the peak memory. Linux keeps track of it, so none is missed.
	 *
	 * @returns returns the peak over the memory at the start, in bytes; NaN on other systems
	 */
	async watchPeak(): Promise<() => Promise<number>> {
		await this.collectGarbage();
		const expression = { expression: 'process.pid' };
		type Evaluated = { result: { value: number } };
		const pid = (await this.call<Evaluated>('Runtime.evaluate', expression)).result.value;
		try {
			// Writing 5 resets the peak to the current size: proc(5).
			await writeFile(`/proc/${pid}/clear_refs`, '5');
		} catch {
			return async () => NaN;
		}
		const idle = await readPeak(pid);
		return async () => (await readPeak(pid)) - idle;
	}

	private async call<T>(method: string, params: object = {}): Promise<T> {
		const answered = new AbortController();
		const { signal } = answered;
		const answer = once(this.socket, 'message', { signal });
		const closed = once(this.socket, 'close', { signal }).then(() => {
			throw new Error('n8n exited.');
		});
		this.socket.send(JSON.stringify({ id: 1, method, params }));
		try {
			const [{ data }] = (await Promise.race([answer, closed])) as [{ data: string }];
			const { result, error } = JSON.parse(data) as { result: T; error?: { message: string } };
			if (error) throw new Error(`${method} failed: ${error.message}`);
			return result;
		} finally {
			closed.catch(() => {});
			answered.abort();
		}
	}
}

async function readPeak(pid: number): Promise<number> {
	const status = await readFile(`/proc/${pid}/status`, 'utf8');
	return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)![1]) * 1024;
}
