/* eslint-disable @n8n/community-nodes/no-restricted-globals -- tests ask which n8n they run in */
/** For what n8n 1 does not have. */
export const testOnN8n2 = process.env.TEST_N8N_VERSION?.startsWith('1.') ? test.skip : test;

/** In n8n 1, nothing tells an execution from an equal one: what is on record of either is not certain, and stays. */
export const testIfToldApart = testOnN8n2;
