import type { IDataObject } from 'n8n-workflow';

import type { CREDENTIAL } from './engine';
import { Poller } from './poller';
import { useScriptedServer, type ScriptedServer } from './scriptedServer';

/** A time, in s since 1970. */
export const START = 1_700_000_000;

let server: ScriptedServer;
/** What the service lists. Without a Page Parameter, it has one page. */
let pages: object[][];
/** The page that cannot be read. */
let broken: number | undefined;

/** For tests of New Message that consist of steps. The service lists what each step says. */
export function useMessageLists(): ScriptedServer {
	const own = useScriptedServer();
	beforeEach(() => {
		server = own;
		broken = undefined;
		server.onRequest(({ path }) => {
			const page = Number(path.split('page=')[1] ?? 0);
			return page === broken ? { status: 500 } : { body: pages[page] ?? [] };
		});
	});
	return own;
}

const withGapOutput = (options: IDataObject) => ({ gapOutput: true, ...options });

export const trigger = (options: IDataObject = {}) => new Poller(server, withGapOutput(options));

/**
 * Messages on one page or on several. As text, `1-3 a` has those with the IDs 1, 2, 3 and `a`, and `3-1` counts down; `a:Hello@5` has
 * its own text and a time, `:Hello` has no ID, and a slash begins another page.
 */
export type Messages = string | object[] | object[][];

export function toPages(some: Messages): object[][] {
	if (typeof some !== 'string') return Array.isArray(some[0]) ? (some as object[][]) : [some];
	return some.split('/').map((page) => page.split(' ').flatMap(parseMessages));
}

const toItems = (some: Messages) => toPages(some).flatMap((page) => page.map((json) => ({ json })));

function parseMessages(word: string): object[] {
	const [, id, text = `text ${id}`, time] = /^([\w-]*)(?::([^@]*))?(?:@(\d+))?$/.exec(word)!;
	const more = { text, ...(time && { date: START + Number(time) }) };
	if (id === '') return [more];
	const [from, to = from] = id.split('-').map(Number);
	if (Number.isNaN(from)) return [message(id, more)];
	if (to === from) return [message(from, more)];
	const step = Math.sign(to - from);
	return Array.from({ length: Math.abs(to - from) + 1 }, (_, i) => message(from + i * step));
}

export const message = (id: unknown, more = {}) => ({ id, text: `text ${String(id)}`, ...more });

/** What the service lists from now on, outside the steps. */
export const list = (some: Messages) => void (pages = toPages(some));

/** Something that happens in a test. */
export type Step = (poller: Poller) => unknown;

export async function play(poller: Poller, ...steps: Step[]) {
	for (const step of steps) await step(poller);
	return poller;
}

/** A test that consists of steps. */
export function plays(title: string, ...steps: Step[]): void {
	test(title, async () => {
		await play(trigger(), ...steps);
	});
}

/**
 * A poll: what the service lists; what the trigger emits, or null if no execution starts; and the warnings that it logs. That of a
 * gap, but no other, has an item in the second output.
 */
export function poll(listed: Messages, emitted: Messages | null, ...warnings: RegExp[]): Step {
	return async (poller) => {
		list(listed);
		poller.warnings.length = 0;
		server.requests.length = 0;
		// The first one is made when the workflow is published.
		const outputs = await (poller.workflow.live ? poller.poll() : poller.activate());
		expect(poller.warnings).toEqual(warnings.map((text) => expect.stringMatching(text) as string));
		const items = emitted && toItems(emitted);
		const isGap = (warning: string) => warning.includes(': Messages may have been missed');
		const gaps = poller.warnings.filter(isGap).map(() => expect.anything() as unknown);
		expect(outputs).toEqual(items && (poller.options.gapOutput ? [items, gaps] : [items]));
	};
}

/** A test run in the editor, which changes nothing: what the service lists, and what n8n shows. */
export function shows(listed: Messages, shown: Messages | null): Step {
	return async (poller) => {
		const { state } = poller;
		list(listed);
		server.requests.length = 0;
		expect(await poller.test()).toEqual(shown && [toItems(shown), []]);
		expect(poller.state).toEqual(state);
	};
}

/** The options of the polls that follow. */
export const set = (options: IDataObject) => (poller: Poller) =>
	(poller.options = withGapOutput(options));

/** From now on, this page cannot be read. */
export const breakPage = (page?: number) => () => (broken = page);

/** The pages that the last poll has requested. */
export function requested(...expected: number[]): Step {
	const pageOf = ({ path }: { path: string }) => Number(path.split('page=')[1]);
	return () => expect(server.requests.map(pageOf)).toEqual(expected);
}

/** Another credential for the polls that follow. */
export const use =
	(change: () => Partial<typeof CREDENTIAL & { baseUrl: string }>) => (poller: Poller) =>
		(poller.credential = { ...poller.credential, ...change() });

export const GAP = /Messages may have been missed/;
export const PAGED = { pageParameter: 'page' };
export const EXISTING = { emitExisting: true };
export const where = (...rows: IDataObject[]) => ({ onlyMessagesWhere: { rows } });
