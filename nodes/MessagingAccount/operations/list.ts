/** The operations of the node, a line for each. */
export { getMessages } from './getMessages.operation';
export { getStatus } from './getStatus.operation';
export { sendImage } from './sendImage.operation';
