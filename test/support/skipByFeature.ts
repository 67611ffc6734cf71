import { N8N_FEATURES } from './n8nFeatures';

// For tests that start an execution twice: without what its retries inherit, nothing tells it from an equal one. And for tests of
// what happens at the end of an execution.
export const describeWithResumeToken = N8N_FEATURES.resumeToken ? describe : describe.skip;

export const describeWithExecutionFinish = N8N_FEATURES.executionFinish ? describe : describe.skip;

export const testWithResumeToken = N8N_FEATURES.resumeToken ? test : test.skip;
