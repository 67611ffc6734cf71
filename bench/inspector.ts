/** A CPU profile in V8's format. */
export interface CpuProfile {
	nodes: Array<{ id: number; callFrame: { functionName: string; url: string } }>;
	/** For each sample, the id of its node. */
	samples: number[];
	/** Time before each sample, in µs. */
	timeDeltas: number[];
}

/** Of a process. */
export interface Usage {
	/** Memory, in bytes. */
	resident: number;
	/** CPU time of all threads since the process started. */
	cpuMs: number;
}

/** For Node.js, which then prints a port of its choice. */
export const INSPECT = '--inspect=127.0.0.1:0';

/** A client of the inspector of a Node.js process that was started with `--inspect`. */
export class Inspector {
	private lastId = 0;

	private readonly pending = new Map<number, (response: InspectorResponse) => void>();

	private readonly closed: Promise<never>;

	private constructor(private readonly socket: WebSocket) {
		socket.addEventListener('message', ({ data }) => {
			const response = JSON.parse(String(data)) as InspectorResponse;
			this.pending.get(response.id)?.(response);
			this.pending.delete(response.id);
		});
		this.closed = new Promise((_resolve, reject) => {
			socket.addEventListener('close', () => reject(new Error('The process exited.')));
		});
		// Handled by whoever waits for a response at that time.
		this.closed.catch(() => {});
	}

	/** @param port of the inspector */
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

	/** @param log of a process that was started with `INSPECT` */
	static async connectByLog(log: string): Promise<Inspector> {
		const [, port] = /Debugger listening on ws:\/\/127\.0\.0\.1:(\d+)/.exec(log)!;
		return await Inspector.connect(Number(port));
	}

	async collectGarbage(): Promise<void> {
		await this.call('HeapProfiler.collectGarbage');
	}

	/** Measures the heap after a garbage collection, in bytes. */
	async measureLiveHeap(): Promise<number> {
		await this.collectGarbage();
		const { usedSize } = (await this.call('Runtime.getHeapUsage')) as { usedSize: number };
		return usedSize;
	}

	/** Measures what the process has used so far. */
	async measureUsage(): Promise<Usage> {
		const expression =
			'({ resident: process.memoryUsage.rss(), cpu: process.cpuUsage().user + process.cpuUsage().system })';
		const { result } = (await this.call('Runtime.evaluate', {
			expression,
			returnByValue: true,
		})) as { result: { value: { resident: number; cpu: number } } };
		return { resident: result.value.resident, cpuMs: result.value.cpu / 1000 };
	}

	/** Takes a CPU profile of the process while `work` runs. */
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

	private async call(method: string, params: object = {}): Promise<unknown> {
		const id = ++this.lastId;
		const response = new Promise<InspectorResponse>((resolve) => this.pending.set(id, resolve));
		this.socket.send(JSON.stringify({ id, method, params }));
		const { result, error } = await Promise.race([response, this.closed]);
		if (error) throw new Error(`${method} failed: ${error.message}`);
		return result;
	}
}

interface InspectorResponse {
	id: number;
	result?: unknown;
	error?: { message: string };
}
