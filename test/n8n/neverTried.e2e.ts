import { setTimeout as sleep } from 'node:timers/promises';

import type { INode } from 'n8n-workflow';

import type { Execution } from '../../tools/n8n/rest';
import { variants } from '../support/night';
import {
	respondAfter,
	type RecordedRequest,
	type Script,
	type ScriptedServer,
} from '../support/scriptedServer';
import { numberOf, requestedNumbers } from '../support/sendService';
import { LONG_LIMIT_MS, waitUntil } from '../support/waitUntil';
import { createSendParameters, publishWebhook, resultsOf } from '../support/webhookWorkflow';
import { useRealN8nWithServer, type RealN8n } from './realN8n';

/** Of the people who never got a request, so many may be unknown. */
const MAX_UNKNOWN = 10;

/** The service has sent nothing, and will take nothing for a while. */
const LIMITED: Script = { status: 429, headers: { 'retry-after': '30' } };

interface Kill {
	/** After how many requests since the start, or since the retry. */
	requests: number;
	/** How much later, in ms. */
	delay?: number;
}

interface Case {
	/** How many people are on the list. */
	length: number;
	options?: INode['parameters'];
	/** The answer to the request with this number, starting at 1; at once by default. */
	answer?: (request: number) => Script | undefined;
	/** The first one kills n8n during the execution, each other one during its retry. */
	kills: Kill[];
}

let server: ScriptedServer;
let n8n: RealN8n;
let credentials: INode['credentials'];

useRealN8nWithServer((started) => ({ server, n8n, credentials } = started));

const CASES: Array<[string, Case]> = [
	[
		'a rate limit',
		{
			length: 1000,
			answer: (n) => (n > 400 ? LIMITED : undefined),
			kills: [{ requests: 401, delay: 2000 }],
		},
	],
	[
		'a pause between sends, and the retry is killed, too',
		{
			length: 40,
			options: { delayBetweenSends: 300 },
			kills: [{ requests: 12 }, { requests: 3 }],
		},
	],
	[
		'many sends at a time and a pause between them',
		{
			length: 60,
			options: { concurrency: 50, delayBetweenSends: 200 },
			kills: [{ requests: 12 }],
		},
	],
	[
		'many sends at a time and a pace per account',
		{
			length: 60,
			options: { concurrency: 50, delayBetweenSends: 200, pacePerAccount: true },
			kills: [{ requests: 12 }],
		},
	],
	[
		'a service that has become slow',
		{
			length: 1000,
			answer: (n) => (n > 300 ? respondAfter(2000, { id: 'm' }) : undefined),
			kills: [{ requests: 301, delay: 5000 }],
		},
	],
];

test.each(variants(CASES))(
	'n8n is killed with %s: who was never tried is not unknown',
	async (_name, { length, options, answer, kills }) => {
		const rows = Array.from({ length }, (_, i) => ({ number: String(49_151_000_000 + i) }));
		const workflow = await publishWebhook(n8n, {
			parameters: createSendParameters('https://example.com/a.png', options),
			credentials,
			onError: 'continueRegularOutput',
		});
		const messages: string[] = [];
		const respond = (request: RecordedRequest, script?: Script) => {
			if (script !== LIMITED) messages.push(numberOf(request));
			return script ?? { body: { id: `m${numberOf(request)}` } };
		};
		server.requests.length = 0;
		server.onRequest((request) => respond(request, answer?.(server.requests.length)));
		await workflow.post(rows);
		let before = 0;
		let crashed: Execution | undefined;
		for (const [i, { requests, delay = 0 }] of kills.entries()) {
			// n8n would only respond at its end.
			if (crashed) n8n.rest.retry(crashed, 'original').catch(() => {});
			await waitUntil(
				`${requests} more requests`,
				(saw) => saw(server.requests.length - before) >= requests,
				LONG_LIMIT_MS,
			);
			await sleep(delay);
			await n8n.crash();
			before = server.requests.length;
			crashed = (await workflow.waitForExecutions(i + 1))[i];
			expect(crashed.status).toBe('crashed');
		}

		const tried = new Set(requestedNumbers(server));
		server.onRequest((request) => respond(request));
		const results = resultsOf(await n8n.rest.retry(crashed!, 'original'), rows);
		expect(results).toMatch(new RegExp(`^[SUN]{${length}}$`));
		expect(new Set(messages).size).toBe(messages.length);
		const never = rows.flatMap(({ number }, i) => (tried.has(number) ? [] : results[i]));
		expect(never.length).toBeGreaterThan(MAX_UNKNOWN);
		const unknown = never.filter((result) => result === 'U');
		expect(unknown.length).toBeLessThanOrEqual(MAX_UNKNOWN);
	},
);
