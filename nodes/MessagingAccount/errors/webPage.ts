import type { Account } from '../shared/account';
import { toSafeText } from '../shared/redaction';

/** The number of characters of a page that are looked at: it begins with its title. */
const START_LENGTH = 10_000;

/** Whether a text that arrived instead of JSON is a web page. */
export function isWebPage(body: unknown): boolean {
	const start = /^\s*<(.*?<)?(!doctype|html|head|body|title|center|h1|p|pre|div)\b/is;
	return typeof body === 'string' && start.test(body.slice(0, START_LENGTH));
}

/** Describes the origin of a web page, e.g. ": “403 Forbidden”, nginx"; empty if nothing is known. */
export function describePage(
	page: string,
	{ server, via }: Record<string, unknown>,
	account: Account,
): string {
	const [, title = ''] = /<title[^<>]*>([^<]*)</i.exec(page.slice(0, START_LENGTH)) ?? [];
	const facts = [title.trim() && `“${title.trim()}”`, server, via].filter(Boolean).map(String);
	return facts.length > 0 ? `: ${toSafeText(facts.join(', '), account)}` : '';
}
