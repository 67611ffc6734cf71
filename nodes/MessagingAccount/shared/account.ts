import { hash } from './hash';
import type { Secrets } from './redaction';

/** The account a request is made for: where its service is, and the credentials that identify it. */
export interface Account {
	/** Absolute, without trailing slashes and without the version segment. */
	baseUrl: string;
	/** The values of the two headers that every request carries. */
	clientId: string;
	token: string;
	/** Finds both values, and others that nobody may see, wherever the service repeats them. */
	secrets: Secrets;
}

/** Identifies an account without revealing it. Another token or login is still the same account. */
export function createAccountKey({ baseUrl, clientId }: Account): string {
	const { origin, pathname } = new URL(baseUrl);
	return hash(`${origin}${pathname} ${clientId}`);
}
