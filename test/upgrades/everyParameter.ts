import type {
	INode,
	INodeProperties,
	INodePropertyCollection,
	INodeTypeDescription,
} from 'n8n-workflow';

/** A node for each operation, or each event, with a value of its own in every parameter and option. */
export function nodesWithEveryParameter({
	name: type,
	version,
	properties,
}: INodeTypeDescription): INode[] {
	// It decides which others are shown.
	const [{ name, options: choices = [] }] = properties;
	return choices.map((choice) => {
		const { value } = choice as { value: string };
		const shown = properties.filter(({ displayOptions }) =>
			displayOptions?.show?.[name]?.includes(value),
		);
		return {
			id: value,
			name: `${value} with everything set`,
			type: `n8n-nodes-messaging-account.${type}`,
			typeVersion: version as number,
			position: [0, 0],
			parameters: { [name]: value, ...valuesOf(shown) },
		};
	});
}

function valuesOf(properties: INodeProperties[]): INode['parameters'] {
	return Object.fromEntries(properties.map((property) => [property.name, valueOf(property)]));
}

/** Another one than the default, which n8n need not save. */
function valueOf({
	type,
	default: initial,
	options,
}: INodeProperties): INode['parameters'][string] {
	if (type === 'boolean') return !initial;
	if (type === 'number') return (initial as number) + 1;
	if (type === 'collection') return valuesOf(options as INodeProperties[]);
	if (type === 'fixedCollection') {
		const [{ name, values }] = options as INodePropertyCollection[];
		return { [name]: [valuesOf(values)] };
	}
	return 'entered';
}
