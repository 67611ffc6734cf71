import { type Account, toSafeText } from '../secrets/account';

/** The number of characters of a page that are looked at: it begins with its title. */
const START_LENGTH = 10_000;

export function isWebPage(body: unknown): boolean {
	// In XML, <title> and <p> may hold a reason.
	const start =
		/^\s*<(.*?<)?(!doctype|html|head|body|center|h1)\b|^\s*<(title|p|pre|div|meta|script|style)\b/is;
	return typeof body === 'string' && start.test(body.slice(0, START_LENGTH));
}

/** Describes the origin of a web page, e.g. ": “403 Forbidden”, nginx"; empty if nothing is known. */
export function describePage(page: string, headers: Record<string, unknown>, account: Account) {
	const [, title = ''] = /<title[^<>]*>([^<]*)</i.exec(page.slice(0, START_LENGTH)) ?? [];
	const facts = [title.trim() && `“${title.trim()}”`, headers.server, headers.via].filter(Boolean);
	return facts.length > 0 ? `: ${toSafeText(facts.join(', '), account)}` : '';
}
