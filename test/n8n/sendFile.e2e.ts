import { createHash } from 'node:crypto';

import type { INode } from 'n8n-workflow';

import type { EmbeddedService } from '../../tools/embeddedService/service';
import { samplePicture } from '../../tools/embeddedService/samplePicture';
import { publishFileSends } from '../support/fileWorkflow';
import { jsonOf } from '../support/webhookWorkflow';
import { useRealN8nWithService, type RealN8n } from './realN8n';

/** Each has a picture of its own. */
const ROWS = ['49151000000', '49151000001', '49151000002'].map((number) => {
	const picture = Buffer.concat([samplePicture(), Buffer.from(number)]);
	return { number, picture: picture.toString('base64') };
});

let service: EmbeddedService;
let n8n: RealN8n;
let credentials: INode['credentials'];

// n8n 1 keeps files in memory unless it is told otherwise, and then has no links to them.
useRealN8nWithService((started) => ({ service, n8n, credentials } = started), {
	env: { N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem' },
});

test.each(['link', 'dataUri'])('as %s, the service gets the very bytes', async (handOverAs) => {
	service.account.scan(service.account.qrText);
	const workflow = await publishFileSends(n8n, { handOverAs }, { credentials });
	await workflow.post(ROWS);
	const [execution] = await workflow.waitForExecutions(1);
	expect(execution.status).toBe('success');
	expect(jsonOf(execution)).toHaveLength(ROWS.length);
	for (const { number, picture } of ROWS) {
		const sha256 = createHash('sha256').update(Buffer.from(picture, 'base64')).digest('hex');
		expect(service.account.chats.get(number)!.at(-1)!.picture).toContain(sha256);
	}
	expect(JSON.stringify(execution.data)).not.toContain('binary-data/signed');
});
