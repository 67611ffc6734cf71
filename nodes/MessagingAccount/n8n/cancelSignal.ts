import type { IAllExecuteFunctions } from 'n8n-workflow';

/** Returns the signal that cancels the execution; undefined in a poll. */
export function getCancelSignal(context: IAllExecuteFunctions): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
}

/** Returns the context with another signal: n8n's helper overwrites the signal of the request with that of its context. */
export function withSignal(context: IAllExecuteFunctions, signal: AbortSignal) {
	const own = { getExecutionCancelSignal: { value: () => signal } };
	return Object.create(context, own) as IAllExecuteFunctions;
}
