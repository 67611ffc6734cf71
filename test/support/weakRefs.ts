/**
 * Takes the place of the garbage collector: an object is collected when a test says so, and not before.
 *
 * @returns marks an object as collected
 */
export function useWeakRefs(): (collected: object) => void {
	const original = globalThis.WeakRef;
	let collected = new WeakSet();

	class TestWeakRef<T extends object> {
		constructor(private readonly target: T) {}

		deref(): T | undefined {
			return collected.has(this.target) ? undefined : this.target;
		}
	}

	beforeAll(() => {
		Object.assign(globalThis, { WeakRef: TestWeakRef });
	});
	afterAll(() => {
		Object.assign(globalThis, { WeakRef: original });
		collected = new WeakSet();
	});
	return (object) => collected.add(object);
}
