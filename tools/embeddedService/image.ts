const TIMEOUT_MS = 60_000;

/**
 * Fetches an image, as a real service does before it sends one.
 *
 * @returns the reason it cannot be sent, or undefined if it can
 */
export async function checkImage(url: string): Promise<string | undefined> {
	try {
		const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
		const type = response.headers.get('content-type') ?? 'a response without a content type';
		await response.arrayBuffer();
		if (!response.ok) return `The image cannot be fetched: its address answers ${response.status}`;
		if (!type.startsWith('image/')) return `The image's address returns ${type}, not an image`;
		return undefined;
	} catch {
		return 'The image cannot be fetched: its address does not answer';
	}
}
