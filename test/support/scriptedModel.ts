import { startScriptedServer } from './scriptedServer';

/** A tool as n8n offers it to a model. */
interface OfferedTool {
	name: string;
	description: string;
	/** A JSON schema. */
	parameters: object;
}

/** The part of n8n's request to a model that tests look at. */
interface ModelRequest {
	tools: OfferedTool[];
	/** The conversation so far, with the results of tools in `output`. */
	input: Array<{ type: string; call_id?: string; output?: string }>;
}

/** A tool call or a text. */
export type ModelReply = { tool: string; fields: object } | { text: string };

export type ScriptedModel = Awaited<ReturnType<typeof startScriptedModel>>;

/** Starts a chat model with scripted replies. */
export async function startScriptedModel() {
	const server = await startScriptedServer();
	const requests: ModelRequest[] = [];
	const replies: ModelReply[] = [];
	server.onRequest(({ path, body }) => {
		const isChat = path === '/v1/chat/completions';
		const reply = isChat || path === '/v1/responses' ? replies.shift() : undefined;
		// Not a 5xx, which n8n would retry.
		if (!reply) return { status: 400, body: { error: { message: 'No more replies' } } };
		requests.push(isChat ? toModelRequest(body as ChatRequest) : (body as ModelRequest));
		return { body: (isChat ? createCompletion : createResponse)(`${requests.length}`, reply) };
	});
	return {
		/** For the Base URL of an OpenAI credential. */
		url: `${server.url}/v1`,
		requests,
		/** Forgets all requests, and sets the replies to the following ones. */
		reply(...next: ModelReply[]) {
			requests.length = 0;
			replies.splice(0, replies.length, ...next);
		},
		close: server.close,
	};
}

function createResponse(id: string, reply: ModelReply): object {
	const output =
		'tool' in reply
			? {
					type: 'function_call',
					id: `fc_${id}`,
					call_id: `call_${id}`,
					name: reply.tool,
					arguments: JSON.stringify(reply.fields),
				}
			: {
					type: 'message',
					id: `msg_${id}`,
					role: 'assistant',
					content: [{ type: 'output_text', text: reply.text, annotations: [] }],
				};
	return {
		id: `resp_${id}`,
		object: 'response',
		created_at: 0,
		status: 'completed',
		model: 'scripted',
		output: [{ ...output, status: 'completed' }],
		usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
	};
}

/** A request in OpenAI's older API, which agents before version 3 use. */
interface ChatRequest {
	tools?: Array<{ function: OfferedTool }>;
	messages: Array<{ role: string; tool_call_id?: string; content: string }>;
}

function toModelRequest({ tools = [], messages }: ChatRequest): ModelRequest {
	const input = messages.map(({ role, tool_call_id, content }) => ({
		type: role,
		call_id: tool_call_id,
		...(role === 'tool' && { output: content }),
	}));
	return { tools: tools.map((tool) => tool.function), input };
}

function createCompletion(id: string, reply: ModelReply): object {
	const call = 'tool' in reply && {
		id: `call_${id}`,
		type: 'function',
		function: { name: reply.tool, arguments: JSON.stringify(reply.fields) },
	};
	const content = 'text' in reply ? reply.text : null;
	const message = { role: 'assistant', content, ...(call && { tool_calls: [call] }) };
	return {
		id: `chat_${id}`,
		object: 'chat.completion',
		created: 0,
		model: 'scripted',
		choices: [{ index: 0, message, finish_reason: call ? 'tool_calls' : 'stop' }],
		usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
	};
}
