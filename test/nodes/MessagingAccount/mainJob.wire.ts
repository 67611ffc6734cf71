import { PNG } from 'pngjs';

import { startService, type EmbeddedService } from '../../../tools/embeddedService/service';
import { readQrCode } from '../../../tools/qrReader';
import { CREDENTIAL, runNode } from '../../support/engine';

let service: EmbeddedService;

afterEach(async () => {
	await service.close();
});

const execute = (parameters: Record<string, string>, items = [{}]) =>
	runNode({ parameters, items, credential: { baseUrl: service.url, ...CREDENTIAL } });

test('status, QR code, scan, status, send, messages', async () => {
	service = await startService(CREDENTIAL);
	const before = await execute({ operation: 'getStatus' });
	const [{ json, binary }] = before.outputs[0];
	expect(json).toEqual({ is_connected: false, qr: await service.account.qrPicture() });

	const picture = Buffer.from(binary!.qr.data, 'base64');
	expect(PNG.sync.read(picture).width).toBeGreaterThan(100);
	expect(service.account.scan(readQrCode(picture))).toBe(true);

	const after = await execute({ operation: 'getStatus' });
	expect(after.outputs[0][0].json).toEqual({ is_connected: true });

	const url = `${service.url}/pictures/sample.png`;
	const sent = await execute(
		{ operation: 'sendImage', number: '={{ $json.number }}', url, caption: 'Hello' },
		[{ number: '+1 202 555 0143' }, { number: '+1 202 555 0176' }],
	);
	const ids = sent.outputs[0].map((item) => item.json.id);
	expect(new Set(ids).size).toBe(2);

	const messages = await execute({ operation: 'getMessages' });
	expect(messages.outputs[0].map((item) => item.json)).toMatchObject([
		{ id: ids[0], number: '12025550143', url, caption: 'Hello' },
		{ id: ids[1], number: '12025550176', url, caption: 'Hello' },
	]);
});
