/** Joins what happened and what to do, for where n8n shows only one text. */
export function toOneText({ message, description }: { message: string; description?: string }) {
	return description ? `${message.replace(/\.$/, '')}. ${description}` : message;
}
