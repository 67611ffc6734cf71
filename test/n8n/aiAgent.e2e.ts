import type { INodeExecutionData, IRunData } from 'n8n-workflow';

import { hasEnded, type SavedWorkflow } from '../../tools/n8n/rest';
import { startScriptedModel, type ScriptedModel } from '../support/scriptedModel';
import { N8N_LIMIT_MS, waitUntil, type Saw } from '../support/waitUntil';
import { nodeOf } from './forms';
import { saveCredential, useRealN8nWithService } from './realN8n';

const CHAT_TRIGGER = 'When chat message received';

let model: ScriptedModel;
let workflow: SavedWorkflow;

const { service, n8n } = useRealN8nWithService({ examples: true });

beforeAll(async () => {
	model = await startScriptedModel();
	const imported = await n8n.rest.workflow('messagingAgent01');
	const access = { apiKey: 'none', url: model.url };
	const credentials = await saveCredential(n8n.rest, access, 'openAiApi');
	nodeOf(imported, 'OpenAI Chat Model').credentials = credentials;
	await n8n.rest.save(imported);
	workflow = await n8n.rest.workflow(imported.id);
});

beforeEach(() => {
	service.account.scan(service.account.qrText);
	service.account.chats.clear();
});

afterAll(async () => await model?.close());

const picture = () => `${service.url}/pictures/sample.png`;
const sent = () => [...service.account.chats.values()].flat();
/** Returns all results of tools that the model received. */
const toolOutputs = () =>
	(model.requests.at(-1)?.input ?? []).flatMap(({ output }) => output ?? []);

/** A message that a node shows in the chat. */
type ChatMessage = string | { text: string; buttons: Array<{ text: string; link: string }> };

/** Sends a message to the chat of a workflow. @returns the id of the execution */
async function startChat(): Promise<string> {
	const json = { sessionId: 'session', action: 'sendMessage', chatInput: 'Good morning, Ada!' };
	const pinned = { ...workflow, pinData: { [CHAT_TRIGGER]: [{ json }] } };
	const { id } = await n8n.rest.create({ ...pinned, id: undefined });
	return await n8n.rest.start({ ...pinned, id }, CHAT_TRIGGER);
}

/** Returns the run data once the execution waits for the user; undefined before. */
async function getRunDataWhenWaiting(chat: string, saw?: Saw): Promise<IRunData | undefined> {
	const execution = await n8n.rest.execution(chat);
	saw?.(execution.status);
	const isFinished = hasEnded(execution);
	if (!isFinished && execution.status !== 'waiting') return undefined;
	const { resultData } = execution.data!;
	if (isFinished) throw new Error(`${execution.status}: ${resultData.error?.message}`);
	return resultData.runData;
}

/** Waits for the message of a node, and until the workflow waits for the user. */
async function waitForMessage(chat: string, node: string): Promise<ChatMessage> {
	let message: ChatMessage | undefined;
	const isThere = async (saw: Saw) => {
		const data = (await getRunDataWhenWaiting(chat, saw))?.[node]?.at(-1)?.data;
		message = (data?.main ?? data?.ai_tool)?.[0]?.[0].sendMessage as ChatMessage | undefined;
		return message !== undefined;
	};
	await waitUntil(`the message of ${node}`, isThere, N8N_LIMIT_MS);
	return message!;
}

/** Presses a button in the message of the node that asks first. */
async function press(chat: string, button: string): Promise<void> {
	const message = await waitForMessage(chat, 'Ask First');
	const buttons = typeof message === 'string' ? [] : message.buttons;
	const { pathname, search } = new URL(buttons.find(({ text }) => text === button)!.link);
	// n8n ignores link previews, so the request must look like a browser.
	const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Firefox/130.0' };
	const response = await fetch(`${n8n.rest.url}${pathname}${search}`, { headers });
	expect(response.status).toBe(200);
}

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
		Caption: { type: 'string', description: 'The text that goes with the image; empty for none' },
	},
	required: ['Number', 'Image_URL', 'Caption'],
};

/** The format in which n8n lets a model call a tool with a review step. */
const sendToAda = () => ({
	tool: 'Send_Image',
	fields: {
		toolParameters: { Number: '+1 202 555 0143', Image_URL: picture(), Caption: 'Good morning' },
		hitlParameters: {},
	},
});

test('shows the image that the model wants to send, and sends it after the user presses Send', async () => {
	model.reply(sendToAda(), { text: 'It is on its way.' });
	const chat = await startChat();
	expect(await waitForMessage(chat, 'Ask First')).toMatchObject({
		text: `Send this image?\n\nTo: +1 202 555 0143\n\nImage: ${picture()}\n\nCaption: Good morning`,
		buttons: [{ text: 'Send' }, { text: 'Do Not Send' }],
	});
	expect(sent()).toEqual([]);

	await press(chat, 'Send');
	expect(await waitForMessage(chat, 'Reply')).toBe('It is on its way.');
	const message = { number: '12025550143', url: picture(), caption: 'Good morning' };
	expect(sent()).toMatchObject([message]);
	expect(toolOutputs()).toEqual([JSON.stringify([{ id: sent()[0].id }])]);
	const [{ tools }] = model.requests;
	expect(tools.find(({ name }) => name === 'Send_Image')).toMatchObject({
		description: "Sends one image with a caption to one person, from the user's messaging account.",
		parameters: { properties: { toolParameters: FIELDS } },
	});
});

test('sends nothing after the user presses Do Not Send', async () => {
	model.reply(sendToAda(), { text: 'As you like.' });
	const chat = await startChat();
	await press(chat, 'Do Not Send');
	expect(await waitForMessage(chat, 'Reply')).toBe('As you like.');
	expect(sent()).toEqual([]);
	expect(toolOutputs()).toEqual([expect.stringContaining('rejected')]);
});

test('Get Status needs no review, and the model gets the status while the QR code stays in the execution', async () => {
	service.account.logOut();
	model.reply({ tool: 'Get_Status', fields: {} }, { text: 'It is not connected.' });
	const chat = await startChat();
	expect(await waitForMessage(chat, 'Reply')).toBe('It is not connected.');
	expect(toolOutputs()).toEqual([JSON.stringify([{ is_connected: false }])]);
	const run = (await getRunDataWhenWaiting(chat))!['Get Status'].at(-1)!;
	const [{ binary }] = run.data!.ai_tool[0] as INodeExecutionData[];
	expect(binary).toMatchObject({ qr: { mimeType: 'image/png' } });
});
