/**
 * Counts how often the code lets n8n do its other work. The timer is real, and no module is replaced: in mutation runs, all
 * tests share their modules.
 *
 * @returns how often so far in the current test
 */
export function usePauseCount(): () => number {
	let timer: jest.SpyInstance;
	beforeEach(() => {
		timer = jest.spyOn(globalThis, 'setTimeout');
	});
	afterEach(() => timer.mockRestore());
	return () => timer.mock.calls.filter(([, ms]) => ms === 0).length;
}
