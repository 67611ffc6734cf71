import type { Account } from './account';
import type { Host } from './host';
import { format, last, page, respondWith } from './lists';

/** As the list was a minute ago. */
function lagging(account: Account, index: number) {
	const before = account.listed.filter(({ at }) => at < account.now - 60_000);
	return before.slice(index * 50, (index + 1) * 50);
}

const laggingReplica: Host = {
	about: 'Further pages come from a replica that is some messages behind',
	options: { pageParameter: 'page' },
	burst: 100,
	respond: (account, index) =>
		respondWith(index === 0 ? page(account, 0, 50) : lagging(account, index)),
	limit: {
		about: 'Messages that a replica lacked come out late.',
		allows: { outOfOrder: 0.15 },
	},
};

const laggingReplicas: Host = {
	about: 'Some requests go to a replica that is minutes behind',
	respond(account) {
		const isBehind = account.random() < 0.3;
		const upTo = account.now - (isBehind ? 600_000 : 0);
		return respondWith(account.listed.filter(({ at }) => at <= upTo + 59_999).slice(0, 50));
	},
};

const twoReplicas: Host = {
	about: 'Two replicas, one of which is up to 90 s behind',
	perHour: 200,
	burst: 180,
	interval: 1,
	respond(account) {
		const upTo = account.now - account.pick(2) * account.random() * 90_000;
		return respondWith(account.listed.filter(({ at }) => at <= upTo).slice(0, 100));
	},
	limit: {
		about:
			'Messages that a replica lacked come out late, or not at all if a list of others comes meanwhile.',
		allows: { outOfOrder: 0.0025, untold: 0.0002 },
	},
};

const missingParts: Host = {
	about: 'A random part of the list is missing in one answer of ten',
	perHour: 136,
	burst: 180,
	respond(account) {
		const isPart = account.chance(10);
		return respondWith(last(account).filter(() => !isPart || account.random() < 0.5));
	},
	limit: {
		about: 'Messages come out when they are first listed, perhaps after later ones.',
		allows: { untold: 0.0005, outOfOrder: 0.15, falseGaps: 0.002 },
	},
};

const randomParts: Host = {
	about: 'A random part of the list',
	existing: 80,
	perHour: 10,
	burst: 10,
	respond: (account) => respondWith(last(account, 80).filter(() => account.random() < 0.7)),
	limit: {
		about:
			'Messages come out when they are first listed, perhaps after later ones, and even if they are older than the first poll.',
		allows: { old: 50, outOfOrder: 0.3, falseGaps: 0.015 },
	},
};

const fails: Host = {
	about: 'Fails in many ways: web pages, half answers, 429',
	respond(account) {
		const kind = account.pick(12);
		if (kind === 0) return { body: '<html>Just a moment</html>' };
		if (kind === 1) return { status: 429, headers: { 'retry-after': '600' } };
		if (kind === 2) return { body: { error: 'not connected' } };
		if (kind === 3) return { body: JSON.stringify(last(account).map(format)).slice(0, -20) };
		return respondWith(last(account));
	},
};

export const replicas: Record<string, Host> = {
	laggingReplica,
	laggingReplicas,
	twoReplicas,
	missingParts,
	randomParts,
	fails,
};
