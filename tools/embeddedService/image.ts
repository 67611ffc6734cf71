const TIMEOUT_MS = 60_000;

/** An image as it was fetched. */
export interface Picture {
	bytes: Buffer;
	/** e.g. image/png */
	type: string;
}

/**
 * Fetches an image, as a real service does before it sends one.
 *
 * @param url an address or a data URI
 * @returns the image, or the reason it cannot be sent
 */
export async function fetchImage(url: string): Promise<Picture | string> {
	try {
		const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
		const type = response.headers.get('content-type') ?? 'a response without a content type';
		const bytes = Buffer.from(await response.arrayBuffer());
		if (!response.ok) return `The image cannot be fetched: its address answers ${response.status}`;
		if (!type.startsWith('image/')) return `The image's address returns ${type}, not an image`;
		return { bytes, type };
	} catch {
		return 'The image cannot be fetched: its address does not answer';
	}
}
