import { hash } from './hash';
import type { Secrets } from './redaction';

/** The account that a request is made for: the address of its service, and the credentials that identify it. */
export interface Account {
	/** The absolute address, without trailing slashes and without the version segment. */
	baseUrl: string;
	/** The values of the two headers that every request carries. */
	clientId: string;
	token: string;
	/** The values to hide wherever the service repeats them: these two, a login in the Base URL, and the token of a link. */
	secrets: Secrets;
}

/** Returns a key that identifies an account without revealing it. It stays the same with another token or login. */
export function createAccountKey({ baseUrl, clientId }: Account): string {
	const { origin, pathname } = new URL(baseUrl);
	return hash(`${origin}${pathname} ${clientId}`);
}
