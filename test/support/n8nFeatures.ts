import { PollContext } from 'n8n-core';
import { NodeApiError } from 'n8n-workflow';

import { additionalData, CREDENTIAL } from './engine';
import { loneNode } from './loneNode';

const { node, workflow } = loneNode({ parameters: {} });
const poll = new PollContext(workflow, node, additionalData(CREDENTIAL), 'trigger', 'activate');
const hinted = new NodeApiError(node, {}, { failure: { cause: 'rate-limited' } });

/** What the n8n version at hand knows, asked of n8n itself: where an older one does not, tests expect less. */
export const N8N_FEATURES = {
	/** An error can tell why a poll failed, for n8n's own back-off. */
	failureHint: hinted.failure !== undefined,
	/** A poll can ask how long it may take. */
	pollBudget: 'getPollBudgetMs' in poll,
};
