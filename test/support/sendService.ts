import type { IDataObject } from 'n8n-workflow';

import type { RecordedRequest, Script, ScriptedServer } from './scriptedServer';

/** The service may have sent the image: nobody knows. */
export const DROPPED: Script = (_response, socket) => socket.destroy();

/** The service has not sent the image. */
export const REFUSED: Script = { status: 422 };

/** The service asks for another attempt at once. */
export const LIMITED: Script = { status: 429, headers: { 'retry-after': '0' } };

/** Returns the recipient of a send. */
export const numberOf = ({ body }: RecordedRequest) => (body as IDataObject).number as string;

/** Returns the recipients of all requests so far, in order. */
export const requestedNumbers = ({ requests }: ScriptedServer): string[] => requests.map(numberOf);

/**
 * Makes a server respond to each send with an id made from its number, or as `scripts` says for the number: to all of its sends, or
 * to the first ones in order.
 *
 * @param nameOf what stands for a number in `scripts` and in the id
 */
export function respondByNumber(
	server: ScriptedServer,
	scripts: Record<string, Script | Script[]> = {},
	nameOf = numberOf,
): void {
	const left = new Map(
		Object.entries(scripts).map(([name, one]) => [name, Array.isArray(one) ? [...one] : one]),
	);
	server.onRequest((request) => {
		const name = nameOf(request);
		const script = left.get(name);
		return (Array.isArray(script) ? script.shift() : script) ?? { body: { id: `m${name}` } };
	});
}
