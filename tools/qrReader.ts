import jsQR from 'jsqr';
import { PNG } from 'pngjs';

/**
 * Decodes a QR code from its pixels, as a phone's camera does.
 *
 * @param png PNG file
 * @throws Error if the image has no QR code
 */
export function readQrCode(png: Buffer): string {
	const { data, width, height } = PNG.sync.read(png);
	const code = jsQR(new Uint8ClampedArray(data), width, height);
	if (!code) throw new Error('No QR code found in the image.');
	return code.data;
}
