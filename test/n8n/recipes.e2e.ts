import type { IConnections, IDataObject, INode } from 'n8n-workflow';

import { samplePicture } from '../../tools/embeddedService/samplePicture';
import { MANUAL_TRIGGER } from '../../tools/n8n/exampleWorkflows';
import { outputsOf } from '../../tools/n8n/rest';
import { N8N_LIMIT_MS, waitUntil } from '../support/waitUntil';
import { jsonOf, NODE } from '../support/webhookWorkflow';
import { connectInSequence, connectTo, createNode, publishWorkflow } from '../support/workflow';
import { submit } from './forms';
import { useRealN8nWithService } from './realN8n';

/** The recipes of docs/sending.md, but for the one with n8n's Filter. */

const { service, n8n, credentials } = useRealN8nWithService({
	// n8n 1 keeps files in memory unless it is told otherwise.
	env: { N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem' },
});

beforeEach(() => {
	service.account.scan(service.account.qrText);
	service.account.messages.length = 0;
});

const NUMBERS = ['12025550143', '12025550176', '12025550103'];
const ROWS = NUMBERS.map((phone, i) => ({ phone, name: `Person ${i}` }));

const sent = () => service.account.messages.map(({ number }) => number);

const sendImage = (parameters: INode['parameters']) =>
	createNode(NODE, {
		type: 'n8n-nodes-messaging-account.messagingAccount',
		parameters: { operation: 'sendImage', number: '={{ $json.phone }}', ...parameters },
		credentials,
	});
const sendFile = (file: string) =>
	sendImage({ imageSource: 'binary', binaryPropertyName: `={{ ${file} }}` });
const picture = () => `${service.url}/pictures/sample.png`;

const trigger = createNode(MANUAL_TRIGGER, {
	type: 'n8n-nodes-base.manualTrigger',
	parameters: {},
});

/** Creates a node that stands for one that reads a list. */
const list = (name: string, rows: IDataObject[]) =>
	createNode(name, {
		type: 'n8n-nodes-base.code',
		typeVersion: 2,
		parameters: { jsCode: `return ${JSON.stringify(rows.map((json) => ({ json })))};` },
	});

const merge = (parameters: INode['parameters']) =>
	createNode('Merge', {
		type: 'n8n-nodes-base.merge',
		typeVersion: 3.2,
		parameters: { mode: 'combine', ...parameters, options: {} },
	});

/** Connects two nodes to the inputs of Merge. */
const mergeOf = (first: INode, second: INode): IConnections => ({
	[MANUAL_TRIGGER]: { main: [[...connectTo(first.name), ...connectTo(second.name)]] },
	[first.name]: { main: [connectTo('Merge')] },
	[second.name]: { main: [[{ node: 'Merge', type: 'main', index: 1 }]] },
	Merge: { main: [connectTo(NODE)] },
});

const download = () =>
	createNode('Download', {
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: { url: picture(), options: { response: { response: { responseFormat: 'file' } } } },
	});

/** Executes nodes, by default one after another. */
async function play(after: INode[], given?: IConnections) {
	const nodes = [trigger, ...after];
	const connections = given ?? connectInSequence(nodes);
	const settings = { executionOrder: 'v1' };
	const workflow = await n8n.rest.create({ name: 'Recipe', settings, nodes, connections });
	const execution = await n8n.rest.run(workflow, MANUAL_TRIGGER);
	expect(execution.data.resultData.error).toBeUndefined();
	expect(execution.status).toBe('success');
	return { workflow, execution };
}

/** Expects that everybody got the same picture. */
function expectPictures(): void {
	expect(sent()).toEqual(NUMBERS);
	expect(service.account.messages.map((message) => service.account.pictureIn(message))).toEqual(
		NUMBERS.map(() => samplePicture()),
	);
}

test('one file for all rows: a download, by an expression', async () => {
	await play([download(), list('Rows', ROWS), sendFile("$('Download').first().binary.data")]);
	expectPictures();
});

test('one file for all rows: a download, by Merge', async () => {
	const [rows, file] = [list('Rows', ROWS), download()];
	const node = sendImage({ imageSource: 'binary', binaryPropertyName: 'data' });
	await play([rows, file, merge({ combineBy: 'combineAll' }), node], mergeOf(rows, file));
	expectPictures();
});

test('one file for all rows: picture and CSV from a form', async () => {
	const nodes = [
		createNode('On form submission', {
			type: 'n8n-nodes-base.formTrigger',
			typeVersion: 2.2,
			webhookId: 'recipe',
			parameters: {
				formTitle: 'Recipe',
				formFields: {
					values: ['Image', 'List'].map((fieldLabel) => ({
						fieldLabel,
						fieldType: 'file',
						multipleFiles: false,
					})),
				},
			},
		}),
		createNode('Extract from File', {
			type: 'n8n-nodes-base.extractFromFile',
			parameters: { operation: 'csv', binaryPropertyName: 'List', options: {} },
		}),
		sendFile("$('On form submission').first().binary.Image"),
	];
	const workflow = await publishWorkflow(n8n.rest, 'Form', nodes);
	const form = new FormData();
	form.set('field-0', new File([samplePicture()], 'a.png', { type: 'image/png' }));
	const csv = ['name,phone', ...ROWS.map(({ name, phone }) => `${name},+${phone}`)].join('\n');
	form.set('field-1', new File([csv], 'list.csv', { type: 'text/csv' }));
	await submit(`${n8n.rest.url}/form/recipe`, form);
	const hasStarted = async () => (await n8n.rest.listExecutions(workflow)).length;
	await waitUntil('an execution', hasStarted, N8N_LIMIT_MS);
	expect((await n8n.rest.lastExecution(workflow)).status).toBe('success');
	expectPictures();
});

test('an ID with the date sends once a day', async () => {
	const options = { sendOnceId: '={{ $today.toISODate() }} {{ $json.phone }}' };
	const { workflow } = await play([list('Rows', ROWS), sendImage({ url: picture(), options })]);
	const again = await n8n.rest.run(workflow, MANUAL_TRIGGER);
	expect(sent()).toEqual(NUMBERS);
	expect(jsonOf(again)[0].sendOnceId).toMatch(/^\d{4}-\d\d-\d\d 12025550143$/);
});

test.each([
	['one', [{ phone: NUMBERS[1] }], [NUMBERS[0], NUMBERS[2]]],
	['nobody', [], NUMBERS],
])('Merge leaves out those who opted out: %s', async (_name, optedOut, expected) => {
	const rows = list('Rows', ROWS);
	const others = { ...list('Opted Out', optedOut), alwaysOutputData: true };
	const keep = { joinMode: 'keepNonMatches', outputDataFrom: 'input1' };
	const left = merge({ fieldsToMatchString: 'phone', ...keep });
	const nodes = [rows, others, left, sendImage({ url: picture() })];
	const { execution } = await play(nodes, mergeOf(rows, others));
	expect(outputsOf(execution, 'Merge')[0]).toHaveLength(expected.length);
	expect(sent()).toEqual(expected);
});
