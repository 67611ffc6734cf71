const [major, minor] = (process.env.TEST_N8N_VERSION ?? '').split('.').map(Number);

/** For what n8n 1 does not have. */
export const testOnN8n2 = major >= 2 ? test : test.skip;

/** Before n8n 2.33, all that is on record stays. */
export const testWithExecutionFinish = major > 2 || (major === 2 && minor >= 33) ? test : test.skip;
