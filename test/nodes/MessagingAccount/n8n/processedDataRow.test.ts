import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { openRow } from '../../../../nodes/MessagingAccount/n8n/processedDataRow';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('a row is the same as long as somebody uses it, and is forgotten after that', async () => {
	let row: ReturnType<typeof openRow> | undefined = openRow('1', 'a');
	row.room = 1;
	expect(openRow('1', 'a')).toBe(row);
	expect(openRow('1').mutex).toBe(row.mutex);
	expect(openRow('1', 'b').room).toBe(0);
	row = undefined;
	await new Promise(setImmediate);
	collectGarbage();
	expect(openRow('1', 'a').room).toBe(0);
});
