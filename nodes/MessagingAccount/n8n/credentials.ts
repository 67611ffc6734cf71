import type {
	IAllExecuteFunctions,
	ICredentialDataDecryptedObject,
	ICredentialsHelper,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

/**
 * Reads a credential for one item. @param fields those that n8n itself may fill in if nothing is stored @throws n8n's own error
 * @returns `expressions` has the names of the fields that are expressions, e.g. `{{ $json.token }}`: then each item may have a credential of
 * its own; `stored` has what was entered. n8n does not tell nodes, so this asks the helper behind `getCredentials` what is stored, instead
 * of reading the credential for each item. The helper is not part of n8n's interface for nodes: if it is never called, they are undefined,
 * and nothing counts as shared, which is slower, and never wrong.
 */
export async function readCredential(
	context: IAllExecuteFunctions,
	type: string,
	itemIndex: number,
	fields: string[],
) {
	const ofN8n = (Reflect.get(context, 'additionalData') ?? {}) as IWorkflowExecuteAdditionalData;
	const { credentialsHelper: helper } = ofN8n;
	let expressions: string[] | undefined;
	let stored: ICredentialDataDecryptedObject = {};
	// n8n calls this in place of its helper. It asks for what is stored, and then passes on what n8n wanted.
	const getDecrypted: typeof helper.getDecrypted = async (...args) => {
		// The sixth argument is n8n's "raw": what is stored, with expressions as they were entered.
		const rawArgs: typeof args = [...args];
		rawArgs[5] = true;
		stored = await helper.getDecrypted(...rawArgs);
		expressions = Object.keys(stored).filter((name) => String(stored[name]).startsWith('='));
		// With all fields, and without expressions, n8n's second reading would give the same.
		const isComplete = expressions.length === 0 && fields.every((name) => stored[name]);
		return isComplete ? stored : await helper.getDecrypted(...args);
	};
	const observedHelper = Object.create(helper ?? null, {
		getDecrypted: { value: getDecrypted },
	}) as ICredentialsHelper;
	// A proxy, because n8n also notes things in this object.
	const get = (_: unknown, name: string) =>
		name === 'credentialsHelper' ? observedHelper : (Reflect.get(ofN8n, name) as unknown);
	const additionalData = { value: new Proxy(ofN8n, { get }) };
	const observed = Object.create(context, { additionalData }) as IAllExecuteFunctions;
	return { data: await observed.getCredentials(type, itemIndex), stored, expressions };
}
