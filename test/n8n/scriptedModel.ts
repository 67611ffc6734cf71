import type { INode } from 'n8n-workflow';

import type { N8nRest } from '../../tools/n8n/rest';
import { startScriptedServer, type ScriptedServer } from '../support/scriptedServer';
import { saveCredential } from './realN8n';

/** A tool as n8n offers it to a model. */
interface OfferedTool {
	name: string;
	description: string;
	/** A JSON schema. */
	parameters: object;
}

/** The part of n8n's request to a model that tests look at, in the API that all versions of its agents use. */
interface ModelRequest {
	tools?: Array<{ function: OfferedTool }>;
	/** The conversation so far, with the results of tools. */
	messages: Array<{ role: string; content: string }>;
}

/** A tool call or a text. */
export type ModelReply = { tool: string; fields: object } | { text: string };

/** Starts a chat model with scripted replies before the tests of a file. @returns it, with a credential of n8n's for it */
export function useScriptedModel(n8n: { rest: N8nRest }) {
	const credentials: NonNullable<INode['credentials']> = {};
	const requests: ModelRequest[] = [];
	const replies: ModelReply[] = [];
	let server: ScriptedServer | undefined;
	beforeAll(async () => {
		server = await startScriptedServer();
		server.onRequest(({ body }) => {
			const reply = replies.shift();
			// Not a 5xx, which n8n would retry.
			if (!reply) return { status: 400, body: { error: { message: 'No more replies' } } };
			requests.push(body as ModelRequest);
			return { body: createCompletion(`${requests.length}`, reply) };
		});
		const access = { apiKey: 'none', url: `${server.url}/v1` };
		Object.assign(credentials, await saveCredential(n8n.rest, access, 'openAiApi'));
	});
	afterAll(async () => await server?.close());
	return {
		credentials,
		/** Forgets all requests, and sets the replies to the following ones. */
		reply(...next: ModelReply[]) {
			requests.length = 0;
			replies.splice(0, replies.length, ...next);
		},
		/** Returns the results of tools that the model has received in one of its conversations. */
		received(request = -1): string[] {
			const messages = requests.at(request)?.messages ?? [];
			return messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
		},
		/** Returns the tools that n8n has offered in its first request. */
		offered: () => requests[0].tools!.map((tool) => tool.function),
	};
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
