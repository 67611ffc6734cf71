import { MASK, SecretFinder, STEP_LENGTH } from './secretFinder';

/** Shorter secrets are left in items: masking them would also mask ids and counts. */
const MIN_LENGTH_IN_ITEMS = 4;

/** Fields that hold even the shortest secret when a service echoes its request headers. */
const HEADER_NAME = /^(client[-_]?id|token)$/i;

/** Finds the client ID, the token, and the token of a link wherever the service repeats them. */
export interface Secrets {
	/** In the texts of errors. */
	inText: SecretFinder[];
	/** In items; none if all are too short. */
	inItems: SecretFinder[];
	/** Without the spaces around them, which HTTP drops. */
	values: string[];
}

/** @param secrets one or two */
export function createSecrets(secrets: string[]): Secrets {
	const values = secrets.map((value) => value.trim());
	const forItems = values.filter(({ length }) => length >= MIN_LENGTH_IN_ITEMS);
	return {
		inText: [new SecretFinder(values)],
		inItems: forItems.length > 0 ? [new SecretFinder(forItems)] : [],
		values,
	};
}

/** Returns the same secrets and another one. */
export function addSecret({ inText, inItems, values }: Secrets, secret: string): Secrets {
	const added = createSecrets([secret]);
	return {
		inText: [...inText, ...added.inText],
		inItems: [...inItems, ...added.inItems],
		values: [...values, ...added.values],
	};
}

const MAX_TEXT_LENGTH = 300;

/**
 * Makes a text from outside safe to show in an error. Every text that the service or the network returns goes through here.
 * Secrets are masked before the text is shortened, which could otherwise leave part of one. Of a text longer than one step,
 * the rest is dropped first: far more than what is shown, whatever the masks make shorter.
 */
export function toSafeText(text: string, { secrets }: { secrets: Secrets }): string {
	const safe = mask(text.slice(0, STEP_LENGTH), secrets.inText)
		.replace(/\p{Cc}+/gu, ' ')
		.trim();
	return safe.length > MAX_TEXT_LENGTH ? `${safe.slice(0, MAX_TEXT_LENGTH)}…` : safe;
}

function mask(text: string, finders: SecretFinder[]): string {
	return maskLinkTokens(finders.reduce((safe, finder) => finder.mask(safe), text));
}

/** A list of messages may have the link to a file that an earlier execution sent. Its token is not known any more. */
function maskLinkTokens(text: string): string {
	return text.replace(/(\/binary-data\/signed\?token=)[\w.-]+/g, `$1${MASK}`);
}

/** Masks a text that is longer than one step, between which n8n does its other work. */
export async function redactLongText(text: string, { inItems }: Secrets): Promise<string> {
	let safe = text;
	for (const finder of inItems) safe = await finder.maskInSteps(safe);
	return maskLinkTokens(safe);
}

/** Masks a field's value or, without `field`, a field's name. */
export function redactItemValue(value: string | number, { inItems, values }: Secrets, field = '') {
	if (HEADER_NAME.test(field) && values.includes(String(value))) return MASK;
	if (typeof value === 'string') return mask(value, inItems);
	// By value, because parsing has rounded long numbers. A secret of zeros parses to 0, which reveals nothing.
	const isSecret =
		String(value).length >= MIN_LENGTH_IN_ITEMS &&
		values.some((secret) => secret.length >= MIN_LENGTH_IN_ITEMS && Number(secret) === value);
	return isSecret ? MASK : value;
}
