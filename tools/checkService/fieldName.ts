import { type Account, toSafeText } from '../../nodes/MessagingAccount/secrets/account';

/** Services may use data as names, e.g. the number of each chat. Such a name is as private as a message. */
const NAME = /^[a-z_$][\w$-]{0,39}$/i;
const LOOKS_LIKE_DATA = /\d{4}/;

/** Stands for a name that is not shown. */
const HIDDEN = '…';

/**
 * Makes the name of a field safe to print.
 *
 * @param path with dots between the names of nested fields
 */
export function showName(path: string, account: Account): string {
	const isName = path.split('.').every((name) => NAME.test(name) && !LOOKS_LIKE_DATA.test(name));
	return isName ? toSafeText(path, account) : HIDDEN;
}

/** Whether `showName` hides the name. */
export function isHidden(path: string, account: Account): boolean {
	return showName(path, account) !== path;
}
