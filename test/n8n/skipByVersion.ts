const [major, minor] = (process.env.TEST_N8N_VERSION ?? '').split('.').map(Number);

/** For what n8n 1 does not have. */
export const testOnN8n2 = major >= 2 ? test : test.skip;

/** In n8n 1, nothing tells an execution from an equal one: what is on record of either is not certain, and stays. */
export const testIfToldApart = testOnN8n2;

/** Before n8n 2.33, all that is on record stays. */
export const testIfEndIsTold = major > 2 || (major === 2 && minor >= 33) ? test : test.skip;
