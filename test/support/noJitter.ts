/** Removes the delay before retries, as full jitter may do, too. Also restores all other spies after each test. */
export function useNoJitter(): void {
	beforeEach(() => jest.spyOn(Math, 'random').mockReturnValue(0));
	afterEach(() => jest.restoreAllMocks());
}
