import { ExecuteContext, PollContext } from 'n8n-core';
import * as n8nWorkflow from 'n8n-workflow';

import { createAdditionalData } from './engine';
import { createSingleNodeWorkflow } from './singleNodeWorkflow';

const { node, workflow } = createSingleNodeWorkflow({ parameters: {} });
const poll = new PollContext(workflow, node, createAdditionalData({}), 'trigger', 'activate');
const hinted = new n8nWorkflow.NodeApiError(node, {}, { failure: { cause: 'rate-limited' } });

/** Features of the installed n8n version, detected from n8n itself. Tests expect less of versions without them. */
export const N8N_FEATURES = {
	/** An error can say why a poll failed, for n8n's own back-off. */
	failureHint: hinted.failure !== undefined,
	/** A poll can ask how long it may take. */
	pollBudget: 'getPollBudgetMs' in poll,
	/** An execution and its retries have a secret in common. */
	resumeToken: 'resumeToken' in n8nWorkflow.createRunExecutionData({}),
	/** A node can have itself called when the execution has ended. */
	executionFinish: 'onExecutionFinish' in ExecuteContext.prototype,
	/** Where a node asks for the name of a field, an expression can give the file itself. */
	filesAsValues: 'isBinaryValue' in n8nWorkflow,
};
