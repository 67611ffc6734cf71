import type { IDataObject, INode, INodeExecutionData, IRunData } from 'n8n-workflow';

import { startService, type EmbeddedService } from '../../tools/embeddedService/service';
import { importExamples } from '../../tools/n8n/exampleWorkflows';
import { hasEnded, type SavedWorkflow } from '../../tools/n8n/rest';
import { startScriptedModel, type ScriptedModel } from '../support/scriptedModel';
import { startScriptedServer, type ScriptedServer } from '../support/scriptedServer';
import { N8N_LIMIT_MS, waitUntil, type Saw } from '../support/waitUntil';
import { saveCredential, startRealN8n, type RealN8n } from './realN8n';

const CREDENTIALS = { clientId: 'client-7f3a', token: 'token-91c2-5d' };
const CHAT_TRIGGER = 'When chat message received';

let service: EmbeddedService;
let model: ScriptedModel;
let n8n: RealN8n;
let workflow: SavedWorkflow;

beforeAll(async () => {
	service = await startService(CREDENTIALS);
	model = await startScriptedModel();
	const credential = { baseUrl: service.url, ...CREDENTIALS };
	n8n = await startRealN8n(async (home) => await importExamples(home, credential));
	const openAi = await n8n.rest.post<{ id: string; name: string }>('/rest/credentials', {
		name: 'Scripted model',
		type: 'openAiApi',
		data: { apiKey: 'none', url: model.url },
	});
	const imported = await n8n.rest.workflow('messagingAgent01');
	nodeOf(imported, 'OpenAI Chat Model').credentials = { openAiApi: openAi };
	await n8n.rest.save(imported);
	workflow = await n8n.rest.workflow(imported.id);
});

beforeEach(() => {
	service.account.scan(service.account.qrText);
	service.account.chats.clear();
});

afterAll(async () => {
	await n8n?.stop();
	await model?.close();
	await service?.close();
});

const nodeOf = ({ nodes }: SavedWorkflow, wanted: string) =>
	nodes.find(({ name }) => name === wanted)!;
const picture = () => `${service.url}/pictures/sample.png`;
const sent = () => [...service.account.chats.values()].flat();
/** Returns all results of tools that the model received. */
const toolOutputs = () =>
	(model.requests.at(-1)?.input ?? []).flatMap(({ output }) => output ?? []);

/** A message that a node shows in the chat. */
type ChatMessage = string | { text: string; buttons: Array<{ text: string; link: string }> };

interface Chat {
	/** Waits for the message of a node, and until the workflow waits for the user. */
	waitForMessage(node: string): Promise<ChatMessage>;
	/** Presses a button in the message of a node. */
	press(node: string, button: string): Promise<void>;
	/** Returns the output of the last call of a tool, as n8n stores it. */
	getToolOutput(tool: string): Promise<INodeExecutionData[]>;
}

/** Sends a message to the chat of a workflow. */
async function startChat(chatWorkflow = workflow): Promise<Chat> {
	const json = { sessionId: 'session', action: 'sendMessage', chatInput: 'Good morning, Ada!' };
	const pinned = { ...chatWorkflow, pinData: { [CHAT_TRIGGER]: [{ json }] } };
	const { id } = await n8n.rest.create({
		...pinned,
		id: undefined,
	});
	const executionId = await n8n.rest.start({ ...pinned, id }, CHAT_TRIGGER);
	/** Returns the run data once the execution waits for the user; undefined before. */
	const getRunDataWhenWaiting = async (saw?: Saw): Promise<IRunData | undefined> => {
		const execution = await n8n.rest.execution(executionId);
		saw?.(execution.status);
		const isFinished = hasEnded(execution);
		if (!isFinished && execution.status !== 'waiting') return undefined;
		const { resultData } = execution.data!;
		if (isFinished) throw new Error(`${execution.status}: ${resultData.error?.message}`);
		return resultData.runData;
	};
	const session: Chat = {
		async waitForMessage(node) {
			let message: ChatMessage | undefined;
			const isThere = async (saw: Saw) => {
				const data = (await getRunDataWhenWaiting(saw))?.[node]?.at(-1)?.data;
				message = (data?.main ?? data?.ai_tool)?.[0]?.[0].sendMessage as ChatMessage | undefined;
				return message !== undefined;
			};
			await waitUntil(`the message of ${node}`, isThere, N8N_LIMIT_MS);
			return message!;
		},
		async press(node, button) {
			const message = await session.waitForMessage(node);
			const buttons = typeof message === 'string' ? [] : message.buttons;
			const { pathname, search } = new URL(buttons.find(({ text }) => text === button)!.link);
			// n8n ignores link previews, so the request must look like a browser.
			const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Firefox/130.0' };
			const response = await fetch(`${n8n.rest.url}${pathname}${search}`, { headers });
			expect(response.status).toBe(200);
		},
		async getToolOutput(tool) {
			return (await getRunDataWhenWaiting())![tool].at(-1)!.data!.ai_tool[0]!;
		},
	};
	return session;
}

const OFFERED = {
	name: 'Send_Image',
	description: "Sends one image with a caption to one person, from the user's messaging account.",
};
const FIELDS = {
	type: 'object',
	properties: {
		Number: {
			type: 'string',
			description: 'The number of the recipient with its country code, e.g. +1 202 555 0143',
		},
		Image_URL: {
			type: 'string',
			description: 'The full web address of the image, with http:// or https://',
		},
		Caption: {
			type: 'string',
			description: 'The text that goes with the image; empty for none',
		},
	},
	required: ['Number', 'Image_URL', 'Caption'],
};
const ADA = () => ({ Number: '+1 202 555 0143', Image_URL: picture(), Caption: 'Good morning' });

describe('the example, with its review step', () => {
	/** The format in which n8n lets a model call a tool with a review step. */
	const sendToAda = () => ({
		tool: 'Send_Image',
		fields: { toolParameters: ADA(), hitlParameters: {} },
	});

	test('shows the image that the model wants to send, and sends it after the user presses Send', async () => {
		model.reply(sendToAda(), { text: 'It is on its way.' });
		const session = await startChat();
		expect(await session.waitForMessage('Ask First')).toMatchObject({
			text: `Send this image?\n\nTo: +1 202 555 0143\nImage: ${picture()}\nCaption: Good morning`,
			buttons: [{ text: 'Send' }, { text: 'Do Not Send' }],
		});
		expect(sent()).toEqual([]);

		await session.press('Ask First', 'Send');
		expect(await session.waitForMessage('Reply')).toBe('It is on its way.');
		expect(sent()).toMatchObject([
			{ number: '12025550143', url: picture(), caption: 'Good morning' },
		]);
		expect(toolOutputs()).toEqual([JSON.stringify([{ id: sent()[0].id }])]);
		const [{ tools }] = model.requests;
		expect(tools.find(({ name }) => name === OFFERED.name)).toMatchObject({
			...OFFERED,
			parameters: { properties: { toolParameters: FIELDS } },
		});
	});

	test('sends nothing after the user presses Do Not Send', async () => {
		model.reply(sendToAda(), { text: 'As you like.' });
		const session = await startChat();
		await session.press('Ask First', 'Do Not Send');
		expect(await session.waitForMessage('Reply')).toBe('As you like.');
		expect(sent()).toEqual([]);
		expect(toolOutputs()).toEqual([expect.stringContaining('rejected')]);
	});

	test('Get Status needs no review, and the model gets the status while the QR code stays in the execution', async () => {
		service.account.logOut();
		model.reply({ tool: 'Get_Status', fields: {} }, { text: 'It is not connected.' });
		const session = await startChat();
		expect(await session.waitForMessage('Reply')).toBe('It is not connected.');
		expect(toolOutputs()).toEqual([JSON.stringify([{ is_connected: false }])]);
		const [{ binary }] = await session.getToolOutput('Get Status');
		expect(binary).toMatchObject({ qr: { mimeType: 'image/png' } });
	});
});

describe('Send Image attached to the agent itself', () => {
	const sendTo = (Number: string, more: IDataObject = {}) => ({
		tool: 'Send_Image',
		fields: { ...ADA(), Number, ...more },
	});

	/** Returns the workflow without the review step. */
	function withoutReview(credentials = nodeOf(workflow, 'Send Image').credentials): SavedWorkflow {
		const direct = structuredClone(workflow);
		direct.connections['Send Image'] = direct.connections['Ask First'];
		delete direct.connections['Ask First'];
		nodeOf(direct, 'Send Image').credentials = credentials;
		return direct;
	}

	test('is offered to the model with its name, description and fields', async () => {
		model.reply({ text: 'Hello.' });
		await (await startChat(withoutReview())).waitForMessage('Reply');
		const [{ tools }] = model.requests;
		const offered = tools.find(({ name }) => name === OFFERED.name);
		expect(offered).toMatchObject({ ...OFFERED, parameters: FIELDS });
	});

	test('sends even if the model leaves the caption empty', async () => {
		model.reply(sendTo('49151', { Caption: '' }), { text: 'Done.' });
		await (await startChat(withoutReview())).waitForMessage('Reply');
		expect(sent()).toMatchObject([{ number: '49151', url: picture() }]);
	});

	test('tells the model what is wrong with a number, so that it can correct it', async () => {
		model.reply(sendTo('Ada'), sendTo('+1 202 555 0143'), { text: 'Done.' });
		await (await startChat(withoutReview())).waitForMessage('Reply');
		const [error, success] = toolOutputs();
		expect(error).toContain("'Ada' is not a phone number. Enter one number with its country");
		expect(error).toContain('The image was not sent.');
		expect(sent()).toMatchObject([{ number: '12025550143' }]);
		expect(success).toContain(sent()[0].id);
	});

	test('passes the message of the service on to the model', async () => {
		model.reply(sendTo('49151', { Image_URL: `${service.url}/nowhere.png` }), { text: 'No.' });
		await (await startChat(withoutReview())).waitForMessage('Reply');
		expect(toolOutputs()).toEqual([expect.stringContaining('its address answers 404')]);
		expect(sent()).toEqual([]);
	});

	// n8n does not tell the tool whether the agent tries again or wants another image.
	test.each([
		['twice without an ID', '', 2],
		['once with an ID', '=agent-{{ $execution.id }}', 1],
	])('an agent that n8n retries after the call sends %s', async (_how, sendOnceId, count) => {
		const retried = withoutReview();
		nodeOf(retried, 'Send Image').parameters.options = { sendOnceId };
		const agent = retried.nodes.find(({ type }) => type === '@n8n/n8n-nodes-langchain.agent')!;
		Object.assign(agent, { typeVersion: 2.2, retryOnFail: true, waitBetweenTries: 0 });
		nodeOf(retried, 'OpenAI Chat Model').parameters.responsesApiEnabled = false;
		model.reply(sendTo('49151'), 'fails', sendTo('49151'), { text: 'Done.' });
		await (await startChat(retried)).waitForMessage('Reply');
		expect(sent()).toHaveLength(count);
	});

	describe('with a failing service', () => {
		let failing: ScriptedServer;
		let failingWorkflow: SavedWorkflow;

		beforeAll(async () => {
			failing = await startScriptedServer();
			const credential = { baseUrl: failing.url, ...CREDENTIALS };
			failingWorkflow = withoutReview(await saveCredential(n8n.rest, credential));
		});

		beforeEach(() => {
			failing.requests.length = 0;
		});

		function withOnError(onError: INode['onError']): SavedWorkflow {
			const changed = structuredClone(failingWorkflow);
			nodeOf(changed, 'Send Image').onError = onError;
			return changed;
		}

		afterAll(async () => {
			await failing?.close();
		});

		test('sends an uncertain image only once and tells the model, however often and in whatever words it calls', async () => {
			failing.respondWith({ status: 500 });
			const call = sendTo('12025550143');
			const reversed = Object.fromEntries(Object.entries(call.fields).reverse());
			const calls = [call, sendTo('+1 202 555 0143'), sendTo(' 0012025550143'), call];
			model.reply(...calls, { ...call, fields: reversed }, { text: 'Look at the chat.' });
			await (await startChat(failingWorkflow)).waitForMessage('Reply');
			const unknown: unknown = expect.stringContaining('The image may have been sent');
			expect(toolOutputs()).toEqual(new Array(calls.length + 1).fill(unknown));
			expect(failing.requests).toHaveLength(1);
		});

		test('passes the error fields to the model with On Error "Continue"', async () => {
			failing.respondWith({ status: 500 });
			model.reply(sendTo('49151'), { text: 'Look at the chat.' });
			await (await startChat(withOnError('continueRegularOutput'))).waitForMessage('Reply');
			const [[{ error }]] = toolOutputs().map((output) => JSON.parse(output) as IDataObject[]);
			expect(error).toMatchObject({ httpCode: '500', delivery: 'unknown' });
		});

		test('stops the execution with On Error "Stop"', async () => {
			failing.respondWith({ status: 500 });
			model.reply(sendTo('49151'), { text: 'Never said.' });
			const session = await startChat(withOnError('stopWorkflow'));
			await expect(session.waitForMessage('Reply')).rejects.toThrow(
				'error: The service did not respond as expected',
			);
			expect(model.requests).toHaveLength(1);
		});

		test('reveals neither the client ID nor the token to the model, even if the service repeats them', async () => {
			const { clientId, token } = CREDENTIALS;
			failing.respondWith({ status: 422, body: { message: `No: ${clientId}, ${token}` } });
			model.reply(sendTo('49151'), { text: 'It was refused.' });
			await (await startChat(failingWorkflow)).waitForMessage('Reply');
			expect(toolOutputs()).toEqual([expect.stringContaining('No: ***, ***')]);
			expect(JSON.stringify(model.requests)).not.toContain(clientId);
			expect(JSON.stringify(model.requests)).not.toContain(token);
		});
	});
});
