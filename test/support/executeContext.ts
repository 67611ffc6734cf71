import { ExecuteContext } from 'n8n-core';
import {
	createRunExecutionData,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type INode,
	type INodeExecutionData,
} from 'n8n-workflow';

import { createAdditionalData, CREDENTIAL } from './engine';
import { createSingleNodeWorkflow } from './singleNodeWorkflow';

/**
 * Creates n8n-core's own execution context of the node, for tests of code that takes one.
 *
 * @param resumeToken what n8n gives each start, and its retries inherit; by default each context is a start
 */
export function createExecuteContext(
	settings: Pick<INode, 'parameters'> & Partial<INode>,
	items: IDataObject[],
	credential: ICredentialDataDecryptedObject = CREDENTIAL,
	resumeToken?: string,
): ExecuteContext {
	const { node, workflow } = createSingleNodeWorkflow(settings);
	const input: INodeExecutionData[] = items.map((json) => ({ json }));
	const data = { main: [input] };
	return new ExecuteContext(
		workflow,
		node,
		createAdditionalData(credential),
		'manual',
		createRunExecutionData(resumeToken ? { resumeToken } : {}),
		0,
		input,
		data,
		{ node, data, source: null },
		[],
	);
}
