import { useNoJitter } from '../support/noJitter';
import { useScriptedServer } from '../support/scriptedServer';
import { HOSTS } from './hosts';
import { listFaults } from './report';
import { soak } from './soak';
import { appendFileSync } from 'node:fs';
useNoJitter();
const server = useScriptedServer();
const { ZZ_HOSTS = '', ZZ_SEEDS = '1', ZZ_MINUTES = '1440' } = process.env;
const cases = ZZ_SEEDS.split(' ').flatMap((seed) =>
	Object.entries(HOSTS)
		.filter(([n]) => new RegExp(ZZ_HOSTS).test(n))
		.map(([n, h]) => [n, seed, h] as const),
);
test.each(cases)('%s %s', async (name, seed, host) => {
	const r = await soak(host, server, { seed: Number(seed), minutes: Number(ZZ_MINUTES) });
	const f = listFaults(host, r);
	if (f.length || process.env.ZZ_ALL)
		appendFileSync(
			'/tmp/zz.txt',
			`${name} seed ${seed} new ${r.new} out ${r.out}: untold ${r.untold} passedOver ${r.passedOver} twice ${r.twice} old ${r.old} ooo ${r.outOfOrder} gaps ${r.gapsTold} false ${r.falseGaps} bytes ${r.bytes} ${f.length ? 'FAULT ' + f : ''}\n`,
		);
});
