import { MASK, SecretFinder, STEP_LENGTH } from './secretFinder';

/** Shorter secrets are left in items: masking them would also mask ids and counts. */
const MIN_LENGTH_IN_ITEMS = 4;

/** Fields that hold even the shortest secret when a service echoes its request headers. */
const HEADER_NAME = /^(client[-_]?id|token)$/i;

/** Finds the client ID and the token wherever the service repeats them. */
export interface Secrets {
	/** In the texts of errors. */
	inText: SecretFinder;
	/** In items; undefined if both are too short. */
	inItems?: SecretFinder;
	/** Without the spaces around them, which HTTP drops. */
	values: string[];
}

export function createSecrets({ clientId, token }: { clientId: string; token: string }): Secrets {
	const values = [clientId, token].map((value) => value.trim());
	const forItems = values.filter(({ length }) => length >= MIN_LENGTH_IN_ITEMS);
	return {
		inText: new SecretFinder(values),
		inItems: forItems.length > 0 ? new SecretFinder(forItems) : undefined,
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
	const safe = secrets.inText
		.mask(text.slice(0, STEP_LENGTH))
		.replace(/\p{Cc}+/gu, ' ')
		.trim();
	return safe.length > MAX_TEXT_LENGTH ? `${safe.slice(0, MAX_TEXT_LENGTH)}…` : safe;
}

/** Masks a text that is longer than one step, between which n8n does its other work. */
export async function redactLongText(text: string, { inItems }: Secrets): Promise<string> {
	return inItems ? await inItems.maskInSteps(text) : text;
}

/** Masks a field's value or, without `field`, a field's name. */
export function redactItemValue(value: string | number, { inItems, values }: Secrets, field = '') {
	if (HEADER_NAME.test(field) && values.includes(String(value))) return MASK;
	if (typeof value === 'string') return inItems ? inItems.mask(value) : value;
	// By value, because parsing has rounded long numbers. A secret of zeros parses to 0, which reveals nothing.
	const isSecret =
		String(value).length >= MIN_LENGTH_IN_ITEMS &&
		values.some((secret) => secret.length >= MIN_LENGTH_IN_ITEMS && Number(secret) === value);
	return isSecret ? MASK : value;
}
