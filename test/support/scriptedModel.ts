import { startScriptedServer } from './scriptedServer';

/** A tool as n8n offers it to a model. */
export interface OfferedTool {
	name: string;
	description: string;
	/** A JSON schema. */
	parameters: object;
}

/** What n8n asks a model; only what tests look at. */
export interface Question {
	tools: OfferedTool[];
	/** The conversation so far, with the tools' answers in `output`. */
	input: Array<{ type: string; call_id?: string; output?: string }>;
}

/** What a model answers: it calls a tool, or has something to say. */
export type ModelAnswer = { tool: string; fields: object } | { text: string };

export interface ScriptedModel {
	/** What goes into the Base URL of an OpenAI credential. */
	url: string;
	/** All that it was asked. */
	questions: Question[];
	/** Forgets what it was asked, and sets what it answers from now on. */
	answer(...answers: ModelAnswer[]): void;
	close(): Promise<void>;
}

/** A chat model behind OpenAI's Responses API, which n8n's OpenAI Chat Model asks; what it answers is set beforehand. */
export async function startScriptedModel(): Promise<ScriptedModel> {
	const server = await startScriptedServer();
	const questions: Question[] = [];
	const answers: ModelAnswer[] = [];
	server.answerEach(({ path, body }) => {
		const answer = path === '/v1/responses' ? answers.shift() : undefined;
		// Not with a 5xx: n8n would ask again.
		if (!answer) return { status: 400, body: { error: { message: 'Nothing is left to say' } } };
		questions.push(body as Question);
		return { body: response(`${questions.length}`, answer) };
	});
	return {
		url: `${server.url}/v1`,
		questions,
		answer(...next) {
			questions.length = 0;
			answers.splice(0, answers.length, ...next);
		},
		close: server.close,
	};
}

function response(id: string, answer: ModelAnswer): object {
	const output =
		'tool' in answer
			? {
					type: 'function_call',
					id: `fc_${id}`,
					call_id: `call_${id}`,
					name: answer.tool,
					arguments: JSON.stringify(answer.fields),
				}
			: {
					type: 'message',
					id: `msg_${id}`,
					role: 'assistant',
					content: [{ type: 'output_text', text: answer.text, annotations: [] }],
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
