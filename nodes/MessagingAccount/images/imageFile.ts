import { createHash } from 'node:crypto';

import type { IBinaryData, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { InvalidInputError } from '../errors/errorClasses';
import { orIfRefused } from '../parameters/expressions';
import { cleanText, quote } from '../parameters/text';
import { describeStart, findImageType, START_LENGTH, WEB_PAGE } from './imageType';

/** An image in a field of the input. Its bytes stay where n8n keeps them until they are read. */
export type ImageFile = Awaited<ReturnType<typeof findImageFile>>;

type FieldWithFile = { field: string; data: IBinaryData };

/** Finds the image of an item, and reads through it once. @param field its name or, with an expression, the file @throws InvalidInputError */
export async function findImageFile(context: IExecuteFunctions, itemIndex: number, field: unknown) {
	const name = typeof field === 'string' ? cleanText(field) : undefined;
	const find = () => context.helpers.assertBinaryData(itemIndex, name ?? (field as string));
	const data = orIfRefused(find, undefined);
	if (!data) throw noSuchField(context.getInputData()[itemIndex], name);
	const file = { field: name ?? data.fileName ?? 'file', data };
	const read = async () => await readThrough(context, file);
	const { start, size, hash } = await once(knownContents, context, data.id ?? data.data, read);
	const mimeType = findImageType(start);
	if (mimeType !== undefined) return { ...file, mimeType, size, hash };
	const what = `The file in '${file.field}'`;
	if (size === 0) {
		const advice = 'Check the output of the node that the file comes from.';
		throw new InvalidInputError(`${what} is empty`, advice);
	}
	const kind = describeStart(start);
	throw new InvalidInputError(
		`${data.fileName ? quote(data.fileName) : what} is not an image: it begins like ${kind}`,
		kind === WEB_PAGE
			? 'Use a direct link to the image in the node that downloads the file.'
			: "Enter the field of an image in 'Input Data Field Name', or check the node that the file comes from.",
	);
}

function noSuchField({ binary, json }: INodeExecutionData, name = ''): InvalidInputError {
	const inJson = Object.keys(json).filter((one) => isFile(json[one]));
	const fields = [...Object.keys(binary ?? {}), ...inJson];
	const has =
		fields.length === 0
			? 'This item has no files. Connect a node that outputs one, e.g. a form or a download.'
			: `This item has files in: ${fields.join(', ')}.`;
	const noName = "'Input Data Field Name' is not the name of a field";
	return new InvalidInputError(name ? `There is no file in the field '${name}'` : noName, has);
}

/** Whether a value has the form in which n8n passes a file. */
export function isFile(value: unknown): boolean {
	const fields = Object(value) as object;
	return 'mimeType' in fields && ('data' in fields || 'id' in fields);
}

/** What was done with files, by run of the node and a key of the file: many items may have the same one. */
type ByRun<T> = WeakMap<IExecuteFunctions, Map<string, Promise<T>>>;
const knownContents: ByRun<Awaited<ReturnType<typeof readThrough>>> = new WeakMap();
const storedFiles: ByRun<IBinaryData> = new WeakMap();

function once<T>(runs: ByRun<T>, context: IExecuteFunctions, key: string, work: () => Promise<T>) {
	const known = runs.get(context) ?? new Map<string, Promise<T>>();
	runs.set(context, known);
	const result = known.get(key) ?? work();
	known.set(key, result);
	// The file may be there again for the next item, e.g. in S3.
	result.catch(() => known.delete(key));
	return result;
}

/** Returns the first bytes of a file, their number, and their SHA-256 in Base64. */
async function readThrough(context: IExecuteFunctions, file: FieldWithFile) {
	const digest = createHash('sha256');
	let start = Buffer.alloc(0);
	let size = 0;
	for await (const chunk of readChunks(context, file)) {
		start = Buffer.concat([start, chunk.subarray(0, START_LENGTH - start.length)]);
		size += chunk.length;
		digest.update(chunk);
	}
	return { start, size, hash: digest.digest('base64') };
}

/** Returns the file as n8n stores it, or a copy if n8n has another type, or only its bytes. @throws InvalidInputError if it is gone */
export async function storeWithType(context: IExecuteFunctions, file: ImageFile) {
	const { data, mimeType, hash } = file;
	if (data.id !== undefined && data.mimeType === mimeType) return data;
	return await once(storedFiles, context, hash, async () => {
		const bytes = await readBytes(context, file);
		return await context.helpers.prepareBinaryData(bytes, data.fileName, mimeType);
	});
}

export async function readBytes(context: IExecuteFunctions, file: FieldWithFile): Promise<Buffer> {
	const chunks: Buffer[] = [];
	for await (const chunk of readChunks(context, file)) chunks.push(chunk);
	return Buffer.concat(chunks);
}

async function* readChunks({ helpers }: IExecuteFunctions, file: FieldWithFile) {
	const { id, data } = file.data;
	try {
		// A Code node may have put a whole data URI here.
		if (id === undefined) yield Buffer.from(data.replace(/^data:[^,]*,/, ''), 'base64');
		else yield* (await helpers.getBinaryStream(id)) as AsyncIterable<Buffer>;
	} catch {
		throw gone(file);
	}
}

/** Replaces n8n's own error, whose message contains the path of the file. */
function gone({ field }: FieldWithFile): InvalidInputError {
	const advice = 'Execute the workflow again, from the node that the file comes from.';
	return new InvalidInputError(`n8n no longer has the file in '${field}'`, advice);
}
