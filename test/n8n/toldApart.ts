/* eslint-disable @n8n/community-nodes/no-restricted-globals -- tests ask which n8n they run in */
/** In n8n 1, nothing tells an execution from an equal one: what is on record of either is not certain, and stays. */
export const testIfToldApart = process.env.TEST_N8N_VERSION?.startsWith('1.') ? test.skip : test;
