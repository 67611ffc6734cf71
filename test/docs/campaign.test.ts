import { runInNewContext } from 'node:vm';

import type { IDataObject, INode } from 'n8n-workflow';

import { readDocument } from './documents';

const { nodes } = JSON.parse(readDocument('examples/campaign.json')) as { nodes: INode[] };
const PERSON = { id: 7, phone: '+1 202 555 0143', caption: 'Hi Ada' };

interface Assigned {
	assignments: Array<{ name: string; value: string }>;
}

/** Evaluates the expression for a field in a node of the campaign. @param items of the other nodes, by name */
function evaluate(
	node: string,
	field: string,
	$json: IDataObject,
	items: Record<string, IDataObject[]> = {},
): unknown {
	const { assignments } = nodes.find(({ name }) => name === node)!.parameters
		.assignments as unknown as Assigned;
	const [, code] = /^={{ (.+) }}$/.exec(assignments.find(({ name }) => name === field)!.value)!;
	const $ = (name: string) => {
		const all = items[name].map((json) => ({ json }));
		return { all: () => all, first: () => all[0] };
	};
	return runInNewContext(code, { $json, $ });
}

const BY_ID = { skipped: true, sendOnceId: 'a', reason: 'id' };
const TRIED = { dryRun: true, sendOnceId: 'a' };

test.each<[string, IDataObject, status: string, reason?: string]>([
	['sent', { id: 'm1' }, 'sent'],
	['sent before a crash', { id: null, sent: true }, 'sent'],
	['skipped by its ID', BY_ID, 'sent', 'tried before'],
	['skipped, and nobody knows', { ...BY_ID, delivery: 'unknown' }, 'unknown', 'tried before'],
	['left by Max Sends', { skipped: true, reason: 'limit' }, ''],
	['refused', { error: { message: 'No [item 3]', delivery: 'notSent' } }, 'failed', 'No'],
	['lost', { error: { message: 'Lost', delivery: 'unknown' } }, 'unknown', 'Lost'],
	['only tried', { ...TRIED, number: '1' }, 'tried'],
	['only tried, twice', { ...TRIED, skipped: true }, 'skipped', 'tried before'],
	['something else', { anything: 1 }, 'unknown'],
])('the row of a send that is %s', (_name, result, status, reason = '') => {
	expect(evaluate('Results', 'status', result)).toBe(status);
	expect(evaluate('Results', 'reason', result)).toBe(reason);
	expect(evaluate('Results', 'message_id', result)).toBe(result.id ?? '');
});

const MESSAGE = {
	id: 'm1',
	direction: 'outgoing',
	number: '12025550143',
	caption: 'Hi Ada',
	sent_at: '2027-03-01T10:00:00.000Z',
};
const TRIED_AT = '2027-03-01T10:00:00+00:00';

test.each<[string, row: IDataObject, message: IDataObject, found: boolean]>([
	['it is', {}, {}, true],
	['the number is written otherwise', { phone: '001 (202) 555-0143' }, {}, true],
	['the number is a number', { phone: 12025550143 }, {}, true],
	['there is no caption', { caption: '' }, { caption: undefined }, true],
	['it is later, in another time zone', { tried_at: '2027-03-01T11:59:59+02:00' }, {}, true],
	['it is older', { tried_at: '2027-03-01T10:00:01Z' }, {}, false],
	['it has no time', {}, { sent_at: undefined }, false],
	['nobody knows when it was tried', { tried_at: undefined }, {}, false],
	['it is an answer', {}, { direction: 'incoming' }, false],
	['it has another number', {}, { number: '12025550144' }, false],
	['it has another caption', {}, { caption: 'Hi Ada!' }, false],
])('whether a message is that of an unknown send: %s', (_name, row, message, found) => {
	const messages = [{ error: {} }, { ...MESSAGE, number: '1' }, { ...MESSAGE, ...message }];
	const unknown = { ...PERSON, tried_at: TRIED_AT, ...row };
	const id = evaluate('Find', 'message_id', unknown, { 'Get Messages': messages });
	expect(id).toBe(found ? 'm1' : '');
});

test.each([
	['Hi {name}, hello {name}', 'A$& & {name}', 'Hi A$& & {name}, hello A$& & {name}'],
	['Hi {name}', null, 'Hi '],
	['', 'Ada', ''],
])('the text %s for %s', (text, name, caption) => {
	const items = { Settings: [{ text }] };
	expect(evaluate('Message', 'caption', { name }, items)).toBe(caption);
});

test.each([
	['the same campaign, stopped in between', { campaign: 'a', status: '' }, TRIED_AT],
	['the same campaign, not sent', { campaign: 'a', status: 'failed' }, ''],
	['another campaign', { campaign: 'b', status: '' }, ''],
])('when a row was first tried: %s', (_name, row, tried) => {
	const items = { Settings: [{ campaign: 'a' }] };
	const triedAt = evaluate('Message', 'tried_at', { ...row, tried_at: TRIED_AT }, items);
	expect(triedAt).toBe(tried);
});

test.each([
	[{ 'Only try it': 'No, send' }, false],
	[{ 'Only try it': 'Yes, send nothing' }, true],
	[{ 'Only try it': null }, true],
])('nothing is sent unless somebody says so: %j', (form, dryRun) => {
	expect(evaluate('Settings', 'dryRun', form)).toBe(dryRun);
});
