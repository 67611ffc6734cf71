import jsQR from 'jsqr';
import { PNG } from 'pngjs';

/**
 * Reads a QR code as a phone's camera would.
 *
 * @throws Error where the picture has none
 */
export function readQrCode(picture: Buffer): string {
	const { data, width, height } = PNG.sync.read(picture);
	const code = jsQR(new Uint8ClampedArray(data), width, height);
	if (!code) throw new Error('There is no QR code to be read in this picture.');
	return code.data;
}
