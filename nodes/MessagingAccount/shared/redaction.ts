import { STEP_LENGTH } from './pauses';
import { MASK, SecretFinder } from './secretFinder';
import { sleep } from './sleep';

/** Shorter secrets are left in items: masking them would also mask ids and counts. */
const MIN_LENGTH_IN_ITEMS = 4;

/** Fields that hold even the shortest secret when a service echoes its request headers. */
const HEADER_NAME = /^(client[-_]?id|token)$/i;

/** Finds the client ID, the token, and the token of a link wherever the service repeats them. */
export type Secrets = ReturnType<typeof createSecrets>;

/** @param secrets first the client ID and the token, which together may come back in base64, as from HTTP Basic */
export function createSecrets(secrets: string[]) {
	// HTTP drops the spaces around them.
	const values = secrets.map((value) => value.trim());
	const forItems = values.filter(({ length }) => length >= MIN_LENGTH_IN_ITEMS);
	const inBase64 = [...forItems, values.slice(0, 2).join(':')]
		.map((value) => Buffer.from(value).toString('base64url'))
		.flatMap((text) => [text, text.replaceAll('-', '+').replaceAll('_', '/')]);
	return {
		inErrors: new SecretFinder([...values, ...inBase64]),
		inItems: new SecretFinder([...forItems, ...inBase64]),
		values,
	};
}

const MAX_TEXT_LENGTH = 300;

/**
 * Makes a text from outside safe to show in an error. Every text that the service or the network returns goes through here.
 * Secrets are masked before the text is shortened, which could otherwise leave part of one. Of a text longer than one step,
 * the rest is dropped first: far more than what is shown, whatever the masks make shorter.
 */
export function toSafeText(text: string, { secrets }: { secrets: Secrets }): string {
	const masked = secrets.inErrors.mask(text.slice(0, STEP_LENGTH));
	const safe = masked.replace(/\p{Cc}+/gu, ' ').trim();
	return safe.length > MAX_TEXT_LENGTH ? `${safe.slice(0, MAX_TEXT_LENGTH)}…` : safe;
}

/** Masks a text that is longer than one step, between which n8n does its other work. */
export async function redactLongText(text: string, { inItems }: Secrets): Promise<string> {
	let safe = '';
	for (let from = 0; from < text.length; from += STEP_LENGTH) {
		if (from > 0) await sleep(0);
		safe += inItems.mask(text, from, Math.min(text.length, from + STEP_LENGTH));
	}
	return safe;
}

/** Masks a field's value or, without `field`, a field's name. */
export function redactItemValue(value: string | number, { inItems, values }: Secrets, field = '') {
	const isSecret = values.includes(String(value));
	if (HEADER_NAME.test(field) && isSecret) return MASK;
	if (typeof value === 'string') return inItems.mask(value);
	return isSecret && String(value).length >= MIN_LENGTH_IN_ITEMS ? MASK : value;
}
