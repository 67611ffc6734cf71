import { parse as parseFlatted } from 'flatted';
import type {
	IDataObject,
	INode,
	INodeExecutionData,
	IRunData,
	IRunExecutionData,
} from 'n8n-workflow';

import { importExamples } from '../../tools/n8n/examples';
import { hasEnded, type ListedExecution, type SavedWorkflow } from '../../tools/n8n/rest';
import { startService, type EmbeddedService } from '../../tools/service/service';
import { startScriptedModel, type ScriptedModel } from '../support/scriptedModel';
import { startScriptedServer, type ScriptedServer } from '../support/scriptedServer';
import { until } from '../support/until';
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
/** What the model got from the tools in all. */
const toldByTools = () =>
	(model.questions.at(-1)?.input ?? []).flatMap(({ output }) => output ?? []);

/** What a node puts into the chat. */
type ChatMessage = string | { text: string; buttons: Array<{ text: string; link: string }> };

interface Chat {
	/** Waits until a node has put something into the chat, and the workflow waits for the user. */
	shown(node: string): Promise<ChatMessage>;
	/** Presses a button of the message that a node shows. */
	press(node: string, button: string): Promise<void>;
	/** What a tool gave at its last call, as n8n stores it with the execution. */
	called(tool: string): Promise<INodeExecutionData[]>;
}

/** Writes something into the chat of the workflow. */
async function chat(to = workflow): Promise<Chat> {
	const json = { sessionId: 'session', action: 'sendMessage', chatInput: 'Good morning, Ada!' };
	const pinned = { ...to, pinData: { [CHAT_TRIGGER]: [{ json }] } };
	const { id } = await n8n.rest.create({
		...pinned,
		id: undefined,
	});
	const executionId = await n8n.rest.start({ ...pinned, id }, CHAT_TRIGGER);
	/** What ran so far, once the execution waits for the user. */
	const waiting = async (): Promise<IRunData | undefined> => {
		const execution = await n8n.rest.get<ListedExecution & { data: string }>(
			`/rest/executions/${executionId}`,
		);
		const isOver = hasEnded(execution);
		if (!isOver && execution.status !== 'waiting') return undefined;
		const { resultData } = parseFlatted(execution.data) as IRunExecutionData;
		if (isOver) throw new Error(`${execution.status}: ${resultData.error?.message}`);
		return resultData.runData;
	};
	const chatting: Chat = {
		async shown(node) {
			let message: ChatMessage | undefined;
			await until(async () => {
				const data = (await waiting())?.[node]?.at(-1)?.data;
				message = (data?.main ?? data?.ai_tool)?.[0]?.[0].sendMessage as ChatMessage | undefined;
				return message !== undefined;
			});
			return message!;
		},
		async press(node, button) {
			const message = await chatting.shown(node);
			const buttons = typeof message === 'string' ? [] : message.buttons;
			const { pathname, search } = new URL(buttons.find(({ text }) => text === button)!.link);
			// Without the name of a browser n8n takes it for a program that looks at links.
			const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Firefox/130.0' };
			const response = await fetch(`${n8n.rest.url}${pathname}${search}`, { headers });
			expect(response.status).toBe(200);
		},
		async called(tool) {
			return (await waiting())![tool].at(-1)!.data!.ai_tool[0]!;
		},
	};
	return chatting;
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
	/** As n8n has a model call a tool that is reviewed. */
	const sendToAda = () => ({
		tool: 'Send_Image',
		fields: { toolParameters: ADA(), hitlParameters: {} },
	});

	test('shows the image that the model wants to send, and sends it when the user presses Send', async () => {
		model.answer(sendToAda(), { text: 'It is on its way.' });
		const chatting = await chat();
		expect(await chatting.shown('Ask First')).toMatchObject({
			text: `Send this image?\n\nTo: +1 202 555 0143\nImage: ${picture()}\nCaption: Good morning`,
			buttons: [{ text: 'Send' }, { text: 'Do Not Send' }],
		});
		expect(sent()).toEqual([]);

		await chatting.press('Ask First', 'Send');
		expect(await chatting.shown('Reply')).toBe('It is on its way.');
		expect(sent()).toMatchObject([
			{ number: '12025550143', url: picture(), caption: 'Good morning' },
		]);
		expect(toldByTools()).toEqual([JSON.stringify([{ id: sent()[0].id }])]);
		const [{ tools }] = model.questions;
		expect(tools.find(({ name }) => name === OFFERED.name)).toMatchObject({
			...OFFERED,
			parameters: { properties: { toolParameters: FIELDS } },
		});
	});

	test('sends nothing when the user presses Do Not Send', async () => {
		model.answer(sendToAda(), { text: 'As you like.' });
		const chatting = await chat();
		await chatting.press('Ask First', 'Do Not Send');
		expect(await chatting.shown('Reply')).toBe('As you like.');
		expect(sent()).toEqual([]);
		expect(toldByTools()).toEqual([expect.stringContaining('rejected')]);
	});

	test('Get Status needs no review; the model learns the status, and the QR code stays in the execution', async () => {
		service.account.logOut();
		model.answer({ tool: 'Get_Status', fields: {} }, { text: 'It is not connected.' });
		const chatting = await chat();
		expect(await chatting.shown('Reply')).toBe('It is not connected.');
		expect(toldByTools()).toEqual([JSON.stringify([{ is_connected: false }])]);
		const [{ binary }] = await chatting.called('Get Status');
		expect(binary).toMatchObject({ qr: { mimeType: 'image/png' } });
	});
});

describe('Send Image attached to the agent itself', () => {
	const sendTo = (Number: string, more: IDataObject = {}) => ({
		tool: 'Send_Image',
		fields: { ...ADA(), Number, ...more },
	});

	/** Without the review step. */
	function attached(credentials = nodeOf(workflow, 'Send Image').credentials): SavedWorkflow {
		const direct = structuredClone(workflow);
		direct.connections['Send Image'] = direct.connections['Ask First'];
		delete direct.connections['Ask First'];
		nodeOf(direct, 'Send Image').credentials = credentials;
		return direct;
	}

	test('is offered to the model by name and description, with the fields that are left to it', async () => {
		model.answer({ text: 'Hello.' });
		await (await chat(attached())).shown('Reply');
		const [{ tools }] = model.questions;
		const offered = tools.find(({ name }) => name === OFFERED.name);
		expect(offered).toMatchObject({ ...OFFERED, parameters: FIELDS });
	});

	test('sends also where the model leaves the caption empty', async () => {
		model.answer(sendTo('1', { Caption: '' }), { text: 'Done.' });
		await (await chat(attached())).shown('Reply');
		expect(sent()).toMatchObject([{ number: '1', url: picture() }]);
	});

	test('tells the model what is wrong with a number, so that it can mend it', async () => {
		model.answer(sendTo('Ada'), sendTo('+1 202 555 0143'), { text: 'Done.' });
		await (await chat(attached())).shown('Reply');
		const [complaint, success] = toldByTools();
		expect(complaint).toContain(
			"'Number' is not a phone number. Enter one number with its country",
		);
		expect(complaint).toContain('The image was not sent.');
		expect(sent()).toMatchObject([{ number: '12025550143' }]);
		expect(success).toContain(sent()[0].id);
	});

	test('tells the model what the service itself says', async () => {
		model.answer(sendTo('1', { Image_URL: `${service.url}/nowhere.png` }), { text: 'No.' });
		await (await chat(attached())).shown('Reply');
		expect(toldByTools()).toEqual([expect.stringContaining('its address answers 404')]);
		expect(sent()).toEqual([]);
	});

	describe('at a service that fails', () => {
		let failing: ScriptedServer;
		let failingWorkflow: SavedWorkflow;

		beforeAll(async () => {
			failing = await startScriptedServer();
			const credential = { baseUrl: failing.url, ...CREDENTIALS };
			failingWorkflow = attached(await saveCredential(n8n.rest, credential));
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

		test('sends once what may have arrived, and tells the model so, however often it calls', async () => {
			failing.answer({ status: 500 });
			model.answer(sendTo('1'), sendTo('1'), { text: 'Look at the chat.' });
			await (await chat(failingWorkflow)).shown('Reply');
			const unknown: unknown = expect.stringContaining('The image may have been sent');
			expect(toldByTools()).toEqual([unknown, unknown]);
			expect(failing.requests).toHaveLength(1);
		});

		test('gives the model the failure with its fields, with On Error "Continue"', async () => {
			failing.answer({ status: 500 });
			model.answer(sendTo('1'), { text: 'Look at the chat.' });
			await (await chat(withOnError('continueRegularOutput'))).shown('Reply');
			const [[{ error }]] = toldByTools().map((told) => JSON.parse(told) as IDataObject[]);
			expect(error).toMatchObject({ httpCode: '500', delivery: 'unknown' });
		});

		test('ends the execution, with On Error "Stop"', async () => {
			failing.answer({ status: 500 });
			model.answer(sendTo('1'), { text: 'Never said.' });
			const chatting = await chat(withOnError('stopWorkflow'));
			await expect(chatting.shown('Reply')).rejects.toThrow(
				'error: The service could not process the request',
			);
			expect(model.questions).toHaveLength(1);
		});

		test('tells the model neither the client id nor the token, also where the service repeats them', async () => {
			const { clientId, token } = CREDENTIALS;
			failing.answer({ status: 422, body: { message: `No: ${clientId}, ${token}` } });
			model.answer(sendTo('1'), { text: 'It was refused.' });
			await (await chat(failingWorkflow)).shown('Reply');
			expect(toldByTools()).toEqual([expect.stringContaining('No: ***, ***')]);
			expect(JSON.stringify(model.questions)).not.toContain(clientId);
			expect(JSON.stringify(model.questions)).not.toContain(token);
		});
	});
});
