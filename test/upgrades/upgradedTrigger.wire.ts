import type { INodeExecutionData, INodeParameters, INodeType } from 'n8n-workflow';

import { MessagingAccountTrigger } from '../../nodes/MessagingAccount/MessagingAccountTrigger.node';
import { Account, createRandom } from '../hosts/account';
import { HOSTS } from '../hosts/hosts';
import { CREDENTIAL } from '../support/engine';
import { useNoJitter } from '../support/noJitter';
import { Poller } from '../support/poller';
import { useScriptedServer } from '../support/scriptedServer';
import { createEarlierNode } from './earlierNodes';
import { EARLIER_VERSIONS } from './saved';

/** Before the upgrade. */
const POLLS = 4;
const MINUTES_BETWEEN = 6;

useNoJitter();
const server = useScriptedServer();

/**
 * Polls a simulated host with an earlier version, then with this one.
 *
 * @returns whether each poll of the earlier version emitted just the new messages, and the same for this one
 */
async function upgradeAt(name: string, earlier: INodeType): Promise<[boolean, boolean]> {
	const host = HOSTS[name];
	const account = new Account(createRandom(1));
	server.onRequest(({ path }) => {
		const page = new URLSearchParams(path.split('?')[1]).get('page');
		return host.respond(account, Number(page ?? 0));
	});
	// Version 1.0.0 does not have that option.
	const options = { gapOutput: true, ...host.options, combineBy: '' };
	const poller = new Poller({ event: 'newMessage', options } as INodeParameters, {
		baseUrl: server.url,
		...CREDENTIAL,
	});
	account.receive(host.existing ?? 30);
	account.now += 3_600_000;
	// The trigger remembers for some seconds what a node stored.
	poller.node.id = name;
	poller.nodeType = earlier;
	await poller.activate().catch(() => null);

	const isRight = async (received: number) => {
		for (let i = 0; i < MINUTES_BETWEEN; i++) {
			account.tick();
			host.live?.(account);
		}
		const { length } = account.messages;
		account.receive(received);
		const outputs = await poller.poll().catch(() => undefined);
		const expected = account.messages.slice(length).map(({ n }) => n);
		return outputs !== undefined && isEqual(outputs, expected);
	};
	let isEarlierRight = true;
	for (let i = 0; i < POLLS; i++) {
		if (!(await isRight(account.pick(4)))) isEarlierRight = false;
	}
	poller.nodeType = new MessagingAccountTrigger();
	const isThisRight = (await isRight(0)) && (await isRight(3));
	return [isEarlierRight, isThisRight];
}

/** Whether just these messages were emitted, in any order, and no gap. */
function isEqual(outputs: INodeExecutionData[][] | null, expected: number[]): boolean {
	const [items = [], gaps = []] = outputs ?? [];
	const emitted = items.map(({ json }) =>
		Number(/message (\d+)\./.exec(JSON.stringify(json))?.[1]),
	);
	return gaps.length === 0 && emitted.sort((a, b) => a - b).join() === expected.join();
}

test.each(EARLIER_VERSIONS)(
	'wherever %s emitted each message once, this version goes on like that',
	async (version) => {
		const earlier = createEarlierNode(version, 'MessagingAccountTrigger');
		const rightBefore: string[] = [];
		const wrongNow: string[] = [];
		for (const name of Object.keys(HOSTS)) {
			// Their IDs were rounded, and are exact now.
			if (name === 'longIds') continue;
			const [isEarlierRight, isThisRight] = await upgradeAt(name, earlier);
			if (isEarlierRight) rightBefore.push(name);
			if (isEarlierRight && !isThisRight) wrongNow.push(name);
		}
		expect(wrongNow).toEqual([]);
		expect(rightBefore.length).toBeGreaterThan(Object.keys(HOSTS).length / 2);
	},
);
