const TIMEOUT_MS = 60_000;

/**
 * Fetches an image as a real service would before it sends it on.
 *
 * @returns why it cannot be sent; undefined when it can
 */
export async function whyNotAnImage(url: string): Promise<string | undefined> {
	try {
		const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
		const type = response.headers.get('content-type') ?? 'nothing';
		await response.arrayBuffer();
		if (!response.ok) return `The image cannot be fetched: its address answers ${response.status}`;
		if (!type.startsWith('image/')) return `What is at the image's address is no image but ${type}`;
		return undefined;
	} catch {
		return 'The image cannot be fetched: nothing answers at its address';
	}
}
