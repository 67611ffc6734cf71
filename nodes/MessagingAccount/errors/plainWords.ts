/** Only this much of a text of the service is looked at. */
export const MAX_TEXT_LENGTH = 1000;

/**
 * Returns a text or code as words in lower case, without accents and numbers, and without “error” and the like at its ends.
 * @example toPlainWords('HTTP 404: Not Found') // 'not found' @example toPlainWords('sessionNotConnected') // 'session not connected'
 */
export function toPlainWords(text: string): string {
	return text
		.slice(0, MAX_TEXT_LENGTH)
		.normalize('NFD')
		.replace(/\p{M}+/gu, '')
		.replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
		.toLowerCase()
		.replace(/n['’]t\b/g, ' not')
		.replace(/\P{L}+/gu, ' ')
		.replace(/^ ?(http |error )+| (exception|error)? ?$/g, '')
		.trim();
}
