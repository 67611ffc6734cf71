import { randomUUID } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import { CREDENTIAL, runNode, UnfinishedExecution } from '../../../../support/engine';
import fc, { type Drawn } from '../../../../support/fastCheck';
import { TOOL } from '../../../../support/sends';
import type { Course } from '../../../../support/simulation';
import { type Ending, endings, PLAIN, rarely } from './drawing';
import { never, resultOf } from './invariants';
import { Machine, server, simulation } from './machine';
import { Counts, type ItemImage, Start } from './start';
import { FIRST_NUMBER, imageOf, toImage, toParameters, UNEDITED } from './workflow';

/** Ways in which a model writes the same call. */
const WORDINGS: Array<(digits: string) => IDataObject> = [
	(digits) => ({ number: digits, tag: 0 }),
	(digits) => ({ tag: 0, number: ` +${digits.slice(0, 2)} ${digits.slice(2)}`, remark: 'again' }),
];

/** Plays an agent that calls the node as its tool, and begins anew in each retry. */
export async function playAgent(
	executions: Drawn<typeof agentExecutions>,
	course: Course,
	story: string[],
): Promise<void> {
	const start = new Start('the agent', 'no');
	let ending: Ending;
	const machine = new Machine(course, ({ body }) => {
		const { script, text } = start.receive(toImage(body as IDataObject), ending);
		story.push(`  ${text}`);
		return script;
	});
	let storedContext = '{}';
	const unknown = new Set<string>();
	for (const [execution, { calls, crashAt, isFollowedByPause }] of executions.entries()) {
		story.push(`Execution ${execution}`);
		machine.crashAt(crashAt);
		const context = JSON.parse(storedContext) as IDataObject;
		const hooks = new UnfinishedExecution();
		const made: ItemImage[] = [];
		const sent = new Counts();
		for (const [round, call] of calls.entries()) {
			const input = WORDINGS[call.wording](String(FIRST_NUMBER + call.person));
			const image = imageOf({ number: FIRST_NUMBER + call.person, tag: 0 }, UNEDITED);
			start.want({ index: 0, image }, made);
			made.push({ index: 0, image });
			ending = call.ending;
			const before = server.requests.length;
			const run = runNode({
				mode: execution === 0 ? 'webhook' : 'retry',
				executionId: String(execution),
				resumeToken: start.resumeToken,
				round,
				context,
				hooks,
				items: [{ ...input, toolCallId: randomUUID() }],
				parameters: toParameters(UNEDITED, PLAIN),
				settings: { type: TOOL, onError: 'continueRegularOutput' },
				credential: { baseUrl: server.url, ...CREDENTIAL },
			});
			const { outputs } = await simulation.runUntil(run);
			machine.check();
			if (machine.hasCrashed) break;
			const result = resultOf(outputs[0][0].json);
			story.push(`  call for ${JSON.stringify(input)}: ${result}`);
			const isRequested = server.requests.slice(before).some(({ method }) => method === 'POST');
			never(unknown.has(image) && isRequested, `${image} was requested again`);
			if (result === 'unknown') unknown.add(image);
			if (result === 'sent') sent.add(image);
			const delivered = start.delivered.get(image);
			const isMissing = delivered < sent.get(image);
			never(result === 'sent' && isMissing, `${image} counts as sent, but was not`);
			const isThere = delivered > start.wanted(image) - 1;
			never(result === 'notSent' && isThere, `${image} counts as not sent, but was`);
			start.checkDelivered();
		}
		if (machine.hasCrashed) {
			story.push('  n8n has crashed');
		} else {
			storedContext = JSON.stringify(context);
			await hooks.store();
		}
		await machine.rest(isFollowedByPause, story);
	}
}

/** Each but the first one is a retry of the one before. */
export const agentExecutions = fc.array(
	fc.record({
		calls: fc.array(
			fc.record({
				person: fc.nat({ max: 1 }),
				wording: fc.nat({ max: WORDINGS.length - 1 }),
				ending: endings.map(([first]) => first ?? { isDelivered: true }),
			}),
			{ minLength: 1, maxLength: 5 },
		),
		crashAt: rarely(10),
		isFollowedByPause: fc.boolean(),
	}),
	{ minLength: 1, maxLength: 3 },
);
