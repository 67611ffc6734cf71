/** A CPU profile as V8 gives it. */
export interface CpuProfile {
	nodes: Array<{ id: number; callFrame: { functionName: string; url: string } }>;
	/** The node in which each sample was taken. */
	samples: number[];
	/** Before each sample, in µs. */
	timeDeltas: number[];
}

/** Looks into a Node.js process that was started with `--inspect`. */
export class Inspector {
	private lastId = 0;

	private readonly pending = new Map<number, (answer: Answer) => void>();

	private readonly closed: Promise<never>;

	private constructor(private readonly socket: WebSocket) {
		socket.addEventListener('message', ({ data }) => {
			const answer = JSON.parse(String(data)) as Answer;
			this.pending.get(answer.id)?.(answer);
			this.pending.delete(answer.id);
		});
		this.closed = new Promise((_resolve, reject) => {
			socket.addEventListener('close', () => reject(new Error('The process ended.')));
		});
		// It is for who waits for an answer then.
		this.closed.catch(() => {});
	}

	/** @param port of its inspector */
	static async connect(port: number): Promise<Inspector> {
		const response = await fetch(`http://127.0.0.1:${port}/json/list`);
		const [{ webSocketDebuggerUrl }] = (await response.json()) as Array<{
			webSocketDebuggerUrl: string;
		}>;
		const socket = new WebSocket(webSocketDebuggerUrl);
		await new Promise((resolve, reject) => {
			socket.addEventListener('open', resolve);
			socket.addEventListener('error', reject);
		});
		return new Inspector(socket);
	}

	/** Collects all garbage. */
	async collectGarbage(): Promise<void> {
		await this.call('HeapProfiler.collectGarbage');
	}

	/** Bytes on the heap after all garbage was collected. */
	async liveHeap(): Promise<number> {
		await this.collectGarbage();
		const { usedSize } = (await this.call('Runtime.getHeapUsage')) as { usedSize: number };
		return usedSize;
	}

	/** The CPU profile of what happens in the process while `work` goes on. */
	async profile(work: () => Promise<unknown>): Promise<CpuProfile> {
		await this.call('Profiler.enable');
		await this.call('Profiler.start');
		await work();
		const { profile } = (await this.call('Profiler.stop')) as { profile: CpuProfile };
		await this.call('Profiler.disable');
		return profile;
	}

	close(): void {
		this.socket.close();
	}

	private async call(method: string): Promise<unknown> {
		const id = ++this.lastId;
		const answer = new Promise<Answer>((resolve) => this.pending.set(id, resolve));
		this.socket.send(JSON.stringify({ id, method }));
		const { result, error } = await Promise.race([answer, this.closed]);
		if (error) throw new Error(`The inspector refuses ${method}: ${error.message}`);
		return result;
	}
}

interface Answer {
	id: number;
	result?: unknown;
	error?: { message: string };
}
