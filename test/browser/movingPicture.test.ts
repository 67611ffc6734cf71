import { checkLimits, MAX_BYTES, MAX_MS } from './movingPicture';

describe('the limits', () => {
	test('may be reached', () => {
		expect(() => checkLimits(MAX_BYTES, MAX_MS)).not.toThrow();
	});

	test('may not be exceeded', () => {
		expect(() => checkLimits(2_000_001, 0)).toThrow('The moving picture has 2000001 bytes.');
		expect(() => checkLimits(0, 20_001)).toThrow('The moving picture lasts 20001 ms.');
	});
});
