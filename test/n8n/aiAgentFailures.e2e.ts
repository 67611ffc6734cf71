import type { INode, INodeParameters } from 'n8n-workflow';

import type { Execution, SavedWorkflow } from '../../tools/n8n/rest';
import { executeAt } from '../support/engine';
import { McpClient } from '../support/mcpClient';
import { startScriptedModel, type ModelReply, type ScriptedModel } from '../support/scriptedModel';
import type { Script } from '../support/scriptedServer';
import { createNode, publishWorkflow } from '../support/workflow';
import { countKeys } from './database';
import { saveCredential, useRealN8nWithServer } from './realN8n';

let model: ScriptedModel;
let modelCredentials: INode['credentials'];

const { server, n8n, credentials } = useRealN8nWithServer();

beforeAll(async () => {
	model = await startScriptedModel();
	const access = { apiKey: 'none', url: model.url };
	modelCredentials = await saveCredential(n8n.rest, access, 'openAiApi');
});

beforeEach(() => {
	server.requests.length = 0;
});

afterAll(async () => await model?.close());

const NODE_TYPE = 'n8n-nodes-messaging-account.messagingAccount';
/** Long enough for what fails at once, also on a busy machine. */
const TIMEOUT = { timeout: 3000 };
const NUMBER = '+1 202 555 0143';

const MAY_HAVE_BEEN_SENT =
	'The image may have been sent: do not send it again. Ask the user to check the chat. ';
const CHECK_CHAT = ' The image may have been sent: check the chat before you send it again.';

const fails = (status: number, message: string): Script => ({ status, body: { message } });

/** Each failure, and whether the image may have been sent. */
const FAILURES: Array<[name: string, script: Script, isUnknown: boolean]> = [
	['a lost connection', (_response, socket) => socket.destroy(), true],
	['a reset connection', (_response, socket) => socket.resetAndDestroy(), true],
	['a timeout', () => {}, true],
	['a web page with 502', { status: 502, body: '<!doctype html><title>Bad gateway</title>' }, true],
	['a web page with 403', { status: 403, body: '<!doctype html><title>Log in</title>' }, false],
	['a web page with 200', { body: '<!doctype html><title>Welcome</title>' }, true],
	['a sentence like EEXIST', fails(422, 'A preexisting chat is needed'), false],
	['the same, maybe after the send', fails(500, 'The preexisting chat was canceled'), true],
	['a code', fails(500, 'read ECONNRESET at eperm.example.com'), true],
	['503 without Retry-After', fails(503, 'connect ETIMEDOUT, retry immediately'), true],
	['an error with 200', { body: { success: false, error: 'getaddrinfo ENOTFOUND' } }, true],
];

const chooses = (name: string) => `={{ $fromAI('${name}', 'x', 'string') }}`;
const parameters = (number: string, options: INodeParameters = {}) => ({
	operation: 'sendImage',
	number,
	url: 'https://example.com/a.png',
	options: { ...TIMEOUT, ...options },
});

function createTool(settings: Partial<INode> = {}, options?: INodeParameters): INode {
	const description = { descriptionType: 'manual', toolDescription: 'Sends an image.' };
	const type = `${NODE_TYPE}Tool`;
	return createNode('Send Image', {
		type,
		credentials,
		...settings,
		parameters: { ...description, ...parameters(chooses('Number'), options) },
	});
}

interface Told {
	message: string;
	description: string;
	delivery: string;
}

/** Returns what our tool outputs of a failure, which n8n is not to change. */
async function getOurs(): Promise<Told> {
	const settings = { type: `${NODE_TYPE}Tool`, onError: 'continueRegularOutput' } as const;
	const { json } = await executeAt(server, { settings })('sendImage', parameters(NUMBER));
	return json[0].error as unknown as Told;
}

const LANGCHAIN = '@n8n/n8n-nodes-langchain.';
const connectTo = (node: string, type: string) => ({ [type]: [[{ node, type, index: 0 }]] });

const createModelNode = (name: string, typeVersion: number) =>
	createNode(name, {
		type: `${LANGCHAIN}lmChatOpenAi`,
		typeVersion,
		credentials: modelCredentials,
		parameters: { model: { __rl: true, mode: 'list', value: 'gpt-5-mini' }, options: {} },
	});

/** Saves a workflow with an agent. @param tools each is connected to the next, and the last to the agent */
async function saveAgent(tools: INode[], typeVersion: number): Promise<SavedWorkflow> {
	// From 1.3 on, a model has another API, which agents before version 3 refuse.
	const modelVersion = typeVersion < 3 ? 1.2 : 1.3;
	const agent = createNode('AI Agent', {
		type: `${LANGCHAIN}agent`,
		typeVersion,
		parameters: { promptType: 'define', text: 'Go', options: {} },
	});
	const nodes = [...tools, agent];
	const subAgents = tools.filter(({ type }) => type === `${LANGCHAIN}agentTool`);
	const thinking = [...subAgents, agent].map(({ name }) => name);
	const toNext = tools.map(({ name }, i) => [name, connectTo(nodes[i + 1].name, 'ai_tool')]);
	const models = thinking.map((name) => [`Model of ${name}`, connectTo(name, 'ai_languageModel')]);
	return await n8n.rest.create({
		name: 'Agent',
		settings: { executionOrder: 'v1' },
		nodes: [
			createNode('Start', { type: 'n8n-nodes-base.manualTrigger', parameters: {} }),
			...nodes,
			...thinking.map((name) => createModelNode(`Model of ${name}`, modelVersion)),
		],
		connections: {
			Start: connectTo('AI Agent', 'main'),
			...Object.fromEntries([...toNext, ...models]),
		},
	});
}

const createSubAgent = (typeVersion: number) =>
	createNode('Sub Agent', {
		type: `${LANGCHAIN}agentTool`,
		typeVersion,
		parameters: { toolDescription: 'Does it.', text: chooses('Prompt'), options: {} },
	});

const DONE = { text: 'Done.' };
const CALL: ModelReply = { tool: 'Send_Image', fields: { Number: NUMBER } };
const CALL_SUB_AGENT: ModelReply = { tool: 'Sub_Agent', fields: { Prompt: 'Send it.' } };

async function run(workflow: SavedWorkflow, ...replies: ModelReply[]): Promise<Execution> {
	model.reply(...replies);
	return await n8n.rest.run(workflow, 'Start');
}

/** Returns the results of tools that the model has received in one of its conversations. */
const received = (request: number) =>
	(model.requests.at(request)?.input ?? []).flatMap(({ output }) => output ?? []);

let published = 0;

/** Publishes the tool for MCP clients. */
async function publishMcp(settings?: Partial<INode>, options?: INodeParameters) {
	const path = `images-${++published}`;
	const trigger = createNode('MCP Server Trigger', {
		type: `${LANGCHAIN}mcpTrigger`,
		typeVersion: 2,
		webhookId: path,
		parameters: { path },
	});
	const tool = createTool(settings, options);
	const connections = { [tool.name]: connectTo(trigger.name, 'ai_tool') } as never;
	const workflow = await publishWorkflow(n8n.rest, path, [trigger, tool], connections);
	const client = new McpClient(`${n8n.rest.url}/mcp/${path}`);
	await client.connect();
	const call = async () => {
		const { isError, content } = await client.call('Send_Image', { Number: NUMBER });
		return { isError, text: content.map(({ text }) => text).join('') };
	};
	return Object.assign(call, { workflow });
}

/** In a message, n8n would take the word for a stop. */
const inOneText = ({ message, description }: Told) =>
	`${message}. ${description}`.replaceAll('canceled', 'cancelled');

/** Of JSON, as n8n passes on items. */
const errorIn = (text: string) => (JSON.parse(text) as Array<{ error: unknown }>)[0].error;

describe('through an agent', () => {
	let agent3: SavedWorkflow;
	let subAgent: SavedWorkflow;
	let agent2: SavedWorkflow;

	beforeAll(async () => {
		agent3 = await saveAgent([createTool()], 3.1);
		subAgent = await saveAgent([createTool(), createSubAgent(3)], 3.1);
		agent2 = await saveAgent([createTool()], 2.2);
	});

	test.each(FAILURES)('a model reads exactly our text of %s', async (_name, script, isUnknown) => {
		server.respondWith(script);
		const ours = await getOurs();
		expect(ours.message.startsWith(MAY_HAVE_BEEN_SENT)).toBe(isUnknown);
		expect(ours.description.endsWith('The image was not sent.')).toBe(!isUnknown);

		await run(agent2, CALL, DONE);
		expect(errorIn(received(-1)[0])).toEqual(ours);
		await run(subAgent, CALL_SUB_AGENT, CALL, DONE, DONE);
		expect(errorIn(received(2)[0])).toBe(inOneText(ours));
		await run(agent3, CALL, DONE);
		expect(errorIn(received(-1)[0])).toBe(inOneText(ours));
	});
});

test('a model reads our text through the MCP Server Trigger, whatever On Error is', async () => {
	const calls = [
		await publishMcp(),
		await publishMcp({ onError: 'continueRegularOutput' }),
		await publishMcp({ onError: 'continueErrorOutput' }),
	];
	const stop = await publishMcp({ onError: 'stopWorkflow' });
	for (const [, script] of FAILURES) {
		server.respondWith(script);
		const ours = await getOurs();
		for (const call of calls) expect(errorIn((await call()).text)).toEqual(ours);
		const { isError, text } = await stop();
		expect(text.replaceAll('\u2060', '')).toBe(`NodeOperationError: ${inOneText(ours)}`);
		expect(isError).toBe(true);
	}
});

test('each call of an MCP client is an execution of its own: only an ID that the model fills in prevents a second image', async () => {
	server.respondWith({ body: { id: 'm1' } });
	const sendWithoutId = await publishMcp();
	expect([await sendWithoutId(), await sendWithoutId()].map(({ text }) => text)).toEqual(
		new Array(2).fill('[{"id":"m1"}]'),
	);
	expect(server.requests).toHaveLength(2);
	// n8n cannot retry them, and never tells their end.
	expect(countKeys(n8n, sendWithoutId.workflow)).toBe(0);

	const id = { sendOnceId: chooses('Number') };
	const skipped = { skipped: true, reason: 'id', sendOnceId: '12025550143' };
	const send = await publishMcp({}, id);
	expect((await send()).text).toBe('[{"id":"m1"}]');
	expect(JSON.parse((await send()).text)).toEqual([skipped]);
	expect(server.requests).toHaveLength(3);

	server.respondWith((_response, socket) => socket.destroy());
	const sendUncertain = await publishMcp({}, id);
	expect((await sendUncertain()).text).toContain(MAY_HAVE_BEEN_SENT);
	expect(JSON.parse((await sendUncertain()).text)).toEqual([{ ...skipped, delivery: 'unknown' }]);
	expect(server.requests).toHaveLength(4);
});

test('a model reads our text of a failure in a sub-workflow, too', async () => {
	const start = createNode('Start', {
		type: 'n8n-nodes-base.executeWorkflowTrigger',
		typeVersion: 1.1,
		parameters: { inputSource: 'passthrough' },
	});
	const node = createNode('Send', { type: NODE_TYPE, credentials, parameters: parameters(NUMBER) });
	const { id } = await publishWorkflow(n8n.rest, 'Sub-workflow', [start, node]);
	const tool = createNode('Send Image', {
		type: `${LANGCHAIN}toolWorkflow`,
		typeVersion: 2.2,
		parameters: { description: 'Sends it.', workflowId: { __rl: true, mode: 'id', value: id } },
	});
	const agent = await saveAgent([tool], 3.1);
	for (const [, script, isUnknown] of FAILURES) {
		server.respondWith(script);
		const { message, description } = await getOurs();
		const ours = isUnknown
			? { message: message.replace(MAY_HAVE_BEEN_SENT, ''), description: description + CHECK_CHAT }
			: { message, description };
		await run(agent, { tool: 'Send_Image', fields: { input: 'x' } }, DONE);
		const text = String(errorIn(received(-1)[0])).replaceAll('\u2060', '');
		expect(text).toBe(inOneText({ ...ours, delivery: '' }));
	}
});

test('an agent of version 3 gets nothing from an error output, so the tool refuses it before it sends', async () => {
	server.respondWith({ body: { id: 'm1' } });
	const tool = createTool({ onError: 'continueErrorOutput' });
	await run(await saveAgent([tool], 3.1), CALL, DONE);
	expect(errorIn(received(-1)[0])).toMatch(/^Nothing was done: .* Choose 'Continue' there\.$/);
	expect(server.requests).toEqual([]);
});
