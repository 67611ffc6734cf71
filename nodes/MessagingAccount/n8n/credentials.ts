import type {
	IAllExecuteFunctions,
	ICredentialDataDecryptedObject,
	ICredentialsHelper,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

/**
 * Reads a credential for one item. @param fields those that n8n itself may fill in if nothing is stored @throws n8n's own error
 * @returns `isShared` is false if a field is an expression, e.g. `{{ $json.token }}`: then each item may have a credential of its own. n8n
 * does not tell nodes, and reads and decrypts for each call. So this also asks n8n's helper behind the call what is stored. That helper is
 * not part of n8n's interface: where it is missing, nothing counts as shared, which is slower, and never wrong.
 */
export async function readCredential(
	context: IAllExecuteFunctions,
	type: string,
	itemIndex: number,
	fields: string[],
): Promise<{ data: ICredentialDataDecryptedObject; isShared: boolean }> {
	let isShared = false;
	const asStored = (helper: ICredentialsHelper) => {
		const getDecrypted: ICredentialsHelper['getDecrypted'] = async (...args) => {
			const [additionalData, credential, ofType, mode, executeData, , ...more] = args;
			const ask = [additionalData, credential, ofType, mode, executeData, true] as const;
			const stored = await helper.getDecrypted(...ask, ...more);
			isShared = Object.values(stored).every((value) => !String(value).startsWith('='));
			const isComplete = isShared && fields.every((name) => stored[name]);
			return isComplete ? stored : await helper.getDecrypted(...args);
		};
		return Object.create(helper, { getDecrypted: { value: getDecrypted } }) as ICredentialsHelper;
	};
	const known = Reflect.get(context, 'additionalData') as
		| IWorkflowExecuteAdditionalData
		| undefined;
	// n8n also notes things in this object.
	const additionalData =
		known?.credentialsHelper &&
		new Proxy(known, {
			get: (_, name) =>
				name === 'credentialsHelper' ? asStored(known.credentialsHelper) : Reflect.get(known, name),
		});
	const own = { ...(additionalData && { additionalData: { value: additionalData } }) };
	const reader = Object.create(context, own) as IAllExecuteFunctions;
	return { data: await reader.getCredentials(type, itemIndex), isShared };
}
