import type { ServerResponse } from 'node:http';

import type { IDataObject } from 'n8n-workflow';

import type { RecordedRequest, Script, ScriptedServer } from './scriptedServer';
import { waitUntil, type Saw } from './waitUntil';

/** The service may have sent the image: nobody knows. */
export const DROPPED: Script = (_response, socket) => socket.destroy();

/** The service has not sent the image. */
export const REFUSED: Script = { status: 422 };

/** Returns the recipient of a send. */
export function numberOf({ body }: RecordedRequest): string {
	return (body as IDataObject).number as string;
}

/** Returns the recipients of all requests so far, in order. */
export function requestedNumbers({ requests }: ScriptedServer): string[] {
	return requests.map(numberOf);
}

/**
 * Makes a server respond to each send with an id made from its number, after any responses that `scripts` lists for the number.
 *
 * @param nameOf what stands for a number in `scripts` and in the id
 */
export function respondByNumber(
	server: ScriptedServer,
	scripts: Record<string, Script[]> = {},
	nameOf = numberOf,
): void {
	const queues = new Map(Object.entries(scripts).map(([name, queue]) => [name, [...queue]]));
	server.onRequest((request) => {
		const name = nameOf(request);
		return queues.get(name)?.shift() ?? { body: { id: `m${name}` } };
	});
}

/** Delays responses until the server has had that many requests, so that all these sends are in progress at the same time. */
export function afterRequests(
	server: ScriptedServer,
	count: number,
): { drop: Script; refuse: Script; fail: Script } {
	const hold = (response: ServerResponse, end: () => void) => {
		const fail = ({ message }: Error) => response.writeHead(500).end(message);
		const haveArrived = (saw: Saw) => saw(server.requests.length) >= count;
		void waitUntil(`${count} requests`, haveArrived).then(end, fail);
	};
	const respond =
		(status: number): Script =>
		(response) =>
			hold(response, () => response.writeHead(status).end());
	return {
		drop: (response, socket) => hold(response, () => socket.destroy()),
		refuse: respond(422),
		fail: respond(502),
	};
}
