import type {
	IAllExecuteFunctions,
	ICredentialDataDecryptedObject,
	ICredentialsHelper,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

/**
 * Reads a credential for one item, and watches n8n's own look-up to see which fields are expressions, e.g. `{{ $json.token }}`: then each
 * item may have a credential of its own. n8n does not tell nodes, and to read the credential for each item would be slow. The helper behind
 * `getCredentials` is not part of n8n's interface for nodes: if it is never called, nothing counts as shared, which is slower, and never wrong.
 * @param fields those that n8n itself may fill in if nothing is stored @throws n8n's own error
 * @returns `stored` has what was entered; `expressions`, the names of such fields, is undefined if the helper was never called
 */
export async function readCredential(
	context: IAllExecuteFunctions,
	type: string,
	itemIndex: number,
	fields: string[],
) {
	let expressions: string[] | undefined;
	let stored: ICredentialDataDecryptedObject = {};
	const observed = withHelper(context, (helper) => async (...args) => {
		// The sixth argument is n8n's "raw": what is stored, with expressions as they were entered.
		const rawArgs: typeof args = [...args];
		rawArgs[5] = true;
		stored = await helper.getDecrypted(...rawArgs);
		expressions = Object.keys(stored).filter((name) => String(stored[name]).startsWith('='));
		// With all fields, and without expressions, n8n's own reading would give the same.
		const isComplete = expressions.length === 0 && fields.every((name) => stored[name]);
		return isComplete ? stored : await helper.getDecrypted(...args);
	});
	return { data: await observed.getCredentials(type, itemIndex), stored, expressions };
}

/** Returns the context with a helper whose `getDecrypted` is another function. */
function withHelper(
	context: IAllExecuteFunctions,
	createGetDecrypted: (helper: ICredentialsHelper) => ICredentialsHelper['getDecrypted'],
) {
	const ofN8n = (Reflect.get(context, 'additionalData') ?? {}) as IWorkflowExecuteAdditionalData;
	const { credentialsHelper: helper } = ofN8n;
	const getDecrypted = { value: createGetDecrypted(helper) };
	const observedHelper = Object.create(helper ?? null, { getDecrypted }) as ICredentialsHelper;
	// A proxy, because n8n also notes things in this object.
	const get = (_: unknown, name: string) =>
		name === 'credentialsHelper' ? observedHelper : (Reflect.get(ofN8n, name) as unknown);
	const additionalData = { value: new Proxy(ofN8n, { get }) };
	return Object.create(context, { additionalData }) as IAllExecuteFunctions;
}
