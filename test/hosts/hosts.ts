import { changes } from './changes';
import { combined } from './combined';
import type { Host } from './host';
import { ids } from './ids';
import { orders } from './orders';
import { pages } from './pages';
import { replicas } from './replicas';
import { shapes } from './shapes';

/** All simulated hosts, by name. */
export const HOSTS: Record<string, Host> = {
	...orders,
	...ids,
	...shapes,
	...changes,
	...pages,
	...replicas,
	...combined,
};
