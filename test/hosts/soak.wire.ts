import { writeFile } from 'node:fs/promises';

import { caseCount } from '../support/cases';
import { useNoJitter } from '../support/noJitter';
import { useScriptedServer } from '../support/scriptedServer';
import { HOSTS } from './hosts';
import { listFaults } from './report';
import { soak, type SoakResult } from './soak';

/** As `caseCount` says, or `npm run soak`. */
const {
	TEST_SOAK_MINUTES: minutes = caseCount(1440, 0.25),
	TEST_SOAK_SEEDS: seeds = '1',
	TEST_SOAK_RESULT: file,
} = process.env;

/** A week with five seeds takes 12 minutes at the slowest host. */
const TIMEOUT_MS = 3_600_000;

useNoJitter();
const server = useScriptedServer();

test.each(Object.entries(HOSTS))(
	'at the host %s: each message once, or a gap is reported',
	async (_name, host) => {
		const results: SoakResult[] = [];
		for (const seed of seeds.split(',').map(Number)) {
			results.push(await soak(host, server, { seed, minutes: Number(minutes) }));
		}
		if (file) await writeFile(file, JSON.stringify(results));
		for (const result of results) {
			expect(listFaults(host, result).map((fault) => `${fault}: ${result[fault]}`)).toEqual([]);
			expect(result.out).toBeGreaterThan(0);
		}
	},
	TIMEOUT_MS,
);
