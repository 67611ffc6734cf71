import type { IExecuteFunctions } from 'n8n-workflow';

import { onExecutionStored } from '../../../../nodes/MessagingAccount/n8n/executionEnd';

/** The part of n8n that is used. @param more of the context, or instead of it */
function execute(more: Partial<IExecuteFunctions> = {}) {
	const handlers: Array<() => void> = [];
	const context = { onExecutionFinish: (handler: () => void) => handlers.push(handler), ...more };
	const callback = jest.fn();
	onExecutionStored(context as unknown as IExecuteFunctions, callback);
	return { callback, tellEnd: () => handlers.forEach((handler) => handler()) };
}

test('calls back once n8n tells that it has stored the execution, which may be twice', () => {
	const { callback, tellEnd } = execute();
	expect(callback).not.toHaveBeenCalled();
	tellEnd();
	tellEnd();
	expect(callback).toHaveBeenCalledTimes(1);
});

test.each([true, false])('does not call back if the execution was canceled: %j', (isCanceled) => {
	const signal = isCanceled ? AbortSignal.abort() : new AbortController().signal;
	const { callback, tellEnd } = execute({ getExecutionCancelSignal: () => signal });
	tellEnd();
	expect(callback).toHaveBeenCalledTimes(isCanceled ? 0 : 1);
});

test('does nothing in an n8n that does not tell the end', () => {
	expect(() => execute({ onExecutionFinish: undefined })).not.toThrow();
});
