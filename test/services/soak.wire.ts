import { IS_NIGHT, NIGHT_TIMEOUT_MS, variants } from '../support/testSize';
import { useScriptedServer } from '../support/scriptedServer';
import { FAULTS, type SimulatedService } from './simulatedService';
import { SERVICES } from './services';
import { soak, type SoakResult } from './soak';

/** Two days, or three hours: in less, some services would not come to what is special about them. */
const MINUTES = (IS_NIGHT ? 48 : 3) * 60;

const server = useScriptedServer();

/** Tells what went wrong at a service, except what cannot be had there. */
function listFaults({ allows }: SimulatedService, result: SoakResult): string[] {
	return FAULTS.filter((fault) => {
		const bound = allows?.[fault] ?? 0;
		const all = fault === 'falseGaps' ? result.polls : result.new;
		const most = typeof bound === 'function' ? bound(all) : bound < 1 ? bound * all : bound;
		return result[fault] > Math.max(0, most);
	}).map((fault) => `${fault}: ${result[fault]}`);
}

test.each(Object.entries(SERVICES))(
	'at the service %s: each message once, or a gap is reported',
	async (_name, service) => {
		for (const seed of variants([1, 2, 3])) {
			const result = await soak(service, server, { seed, minutes: MINUTES });
			expect(listFaults(service, result)).toEqual([]);
			expect(result.out).toBeGreaterThan(0);
		}
	},
	NIGHT_TIMEOUT_MS,
);
