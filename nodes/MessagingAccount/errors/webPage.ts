import type { Account } from '../shared/account';
import { toSafeText } from '../shared/redaction';

/** As much of a page is looked at: it begins with its title. */
const START_LENGTH = 10_000;

/** Whether a text that arrived instead of JSON is a web page. */
export function isWebPage(body: unknown): boolean {
	const start = /^\s*<(.*?<)?(!doctype|html|head|body|title|center|h1|p|pre|div)\b/is;
	return typeof body === 'string' && start.test(body.slice(0, START_LENGTH));
}

/** Says what is known of where a web page comes from, e.g. ": “403 Forbidden”, nginx". Empty if nothing is. */
export function describePage(
	page: string,
	{ server, via }: Record<string, unknown>,
	account: Account,
): string {
	const [, title = ''] = /<title[^<>]*>([^<]*)</i.exec(page.slice(0, START_LENGTH)) ?? [];
	const facts = [title.trim() && `“${title.trim()}”`, server, via].filter(Boolean).map(String);
	return facts.length > 0 ? `: ${toSafeText(facts.join(', '), account)}` : '';
}
