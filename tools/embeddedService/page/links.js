/** Ends at spaces, quotation marks, and the full stops and brackets of East Asian scripts, which need no space. */
const ADDRESS = /\bhttps?:\/\/[^\s<>"\p{Pi}\p{Pf}、。，：；！？「」（）]+/giu;

const PUNCTUATION = /[.,:;!?'…*]$/;

/** @type {Record<string, string>} Opening brackets by closing ones. */
const OPENING = { ')': '(', ']': '[', '}': '{' };

/**
 * Makes the http and https addresses in a text into links, which open in a new tab. The text itself stays as it is.
 *
 * @param {string} text
 * @returns {Array<string | HTMLAnchorElement>}
 */
export function withLinks(text) {
	const nodes = [];
	let end = 0;
	for (const match of text.matchAll(ADDRESS)) {
		const address = withoutSentenceEnd(match[0]);
		if (!URL.canParse(address)) continue;
		nodes.push(text.slice(end, match.index), link(address));
		end = match.index + address.length;
	}
	return [...nodes, text.slice(end)];
}

/**
 * Leaves out what belongs to the sentence around the address. A closing bracket belongs to the address if it was opened there.
 *
 * @param {string} address
 * @returns {string}
 */
function withoutSentenceEnd(address) {
	const last = address.slice(-1);
	const opening = OPENING[last];
	const isOutside = opening
		? address.split(last).length > address.split(opening).length
		: PUNCTUATION.test(address);
	return isOutside ? withoutSentenceEnd(address.slice(0, -1)) : address;
}

/** @param {string} address */
function link(address) {
	const anchor = document.createElement('a');
	anchor.href = address;
	anchor.textContent = address;
	anchor.target = '_blank';
	anchor.rel = 'noopener noreferrer';
	return anchor;
}
