import { N8N_LIMIT_MS, waitUntil, type Saw } from './waitUntil';

/** What a model gets of a tool's call. */
interface ToolResult {
	isError?: boolean;
	content: Array<{ type: string; text: string }>;
}

/** A client of n8n's MCP servers, its own and that of the MCP Server Trigger, over Streamable HTTP. */
export class McpClient {
	private session?: string;
	private id = 0;

	constructor(
		private readonly url: string,
		private readonly headers: Record<string, string> = {},
	) {}

	/** Begins a session. n8n registers the address some time after it has published the workflow. */
	async connect(): Promise<void> {
		const clientInfo = { name: 'Test', version: '1' };
		const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo };
		const isThere = async (saw: Saw) =>
			saw((await this.post('initialize', params, ++this.id)).status) !== 404;
		await waitUntil('the MCP server', isThere, N8N_LIMIT_MS);
		await this.post('notifications/initialized', {});
	}

	/** Calls a tool. @returns what the client gets */
	async call(name: string, fields: object): Promise<ToolResult> {
		const { text } = await this.post('tools/call', { name, arguments: fields }, ++this.id);
		// One event of a stream, with the response as its data.
		const [, data] = /^data: (.*)$/m.exec(text)!;
		return (JSON.parse(data) as { result: ToolResult }).result;
	}

	private async post(method: string, params: object, id?: number) {
		const response = await fetch(this.url, {
			method: 'POST',
			headers: {
				...this.headers,
				'content-type': 'application/json',
				accept: 'application/json, text/event-stream',
				connection: 'close',
				...(this.session && { 'mcp-session-id': this.session }),
			},
			body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
		});
		this.session ??= response.headers.get('mcp-session-id') ?? undefined;
		return { status: response.status, text: await response.text() };
	}
}
