import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { BinaryDataConfig, BinaryDataService } from 'n8n-core';
import type { IBinaryData } from 'n8n-workflow';

import { currentWorkflowId } from './singleNodeWorkflow';

// The one that n8n-core uses: others may be installed beside it.
const { Container } = createRequire(require.resolve('n8n-core'))('@n8n/di') as {
	Container: { get<T>(type: new (...args: never[]) => T): T };
};

/** Provides n8n-core's own store of files, on disk, to the tests of a file. */
export function useBinaryDataStore() {
	const folder = mkdtempSync(join(tmpdir(), 'messaging-account-files-'));
	const reads: string[] = [];
	let failures = 0;
	const clear = () => rmSync(folder, { recursive: true, force: true });
	let service: BinaryDataService;
	const readId = (link: string) =>
		service.validateSignedToken(new URL(link).searchParams.get('token')!);

	beforeAll(async () => {
		Object.assign(Container.get(BinaryDataConfig), {
			mode: 'filesystem',
			localStoragePath: folder,
			signingSecret: 'a signing secret',
		});
		service = Container.get(BinaryDataService);
		await service.init();
		const getAsStream = service.getAsStream.bind(service);
		service.getAsStream = async (id, chunkSize) => {
			reads.push(id);
			if (failures-- > 0) throw new Error('The store is not available');
			return await getAsStream(id, chunkSize);
		};
	});
	beforeEach(() => (reads.length = 0));
	afterAll(clear);

	return {
		/** IDs of the files in the order in which they were read. */
		reads,
		/** Lets the next reading fail. */
		failOnce: () => void (failures = 1),
		clear,
		/** Stores a file, and returns what an item has of it. */
		async store(bytes: Buffer, about: Partial<IBinaryData> = {}): Promise<IBinaryData> {
			const workflowId = currentWorkflowId();
			const location = { type: 'execution', workflowId, executionId: '1' } as const;
			return await service.store(location, bytes, { data: '', mimeType: 'image/png', ...about });
		},
		/** Returns the file of a link that n8n-core has signed. */
		follow: async (link: string) =>
			await service.getAsBuffer({ id: readId(link), data: '', mimeType: '' }),
		/** Returns what n8n-core says of that file to whoever downloads it. */
		describe: async (link: string) => await service.getMetadata(readId(link)),
	};
}
