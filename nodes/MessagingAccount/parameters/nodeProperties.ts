import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

/** Creates the collection "Options", sorted by name, as n8n wants it. */
export function createOptions(options: INodeProperties[]): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: [...options].sort((a, b) => a.displayName.localeCompare(b.displayName)),
	};
}

/** Creates the expression for the node's subtitle on the canvas: the name of the chosen option of a parameter. */
export function createSubtitle(parameterName: string, options: INodePropertyOptions[]): string {
	const names = Object.fromEntries(options.map(({ value, name }) => [value, name]));
	return `={{ (${JSON.stringify(names)})[$parameter["${parameterName}"]] }}`;
}
