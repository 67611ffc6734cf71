import type {
	INode,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeTypeDescription,
} from 'n8n-workflow';

/** Creates a node for each operation or event, with a non-default value in every parameter and option. */
export function createNodesWithEveryParameter({
	name: type,
	version,
	properties,
}: INodeTypeDescription): INode[] {
	// The first parameter selects which others are shown.
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

/** Returns a value other than the default, which n8n may omit when it saves. */
function valueOf({
	type,
	default: initial,
	options,
}: INodeProperties): INode['parameters'][string] {
	if (type === 'boolean') return !initial;
	if (type === 'number') return (initial as number) + 1;
	if (type === 'options') return getOtherChoice(options as INodePropertyOptions[], initial);
	if (type === 'collection') return valuesOf(options as INodeProperties[]);
	if (type === 'fixedCollection') {
		const [{ name, values }] = options as INodePropertyCollection[];
		return { [name]: [valuesOf(values)] };
	}
	return 'entered';
}

function getOtherChoice(
	choices: INodePropertyOptions[],
	initial: INodeProperties['default'],
): INode['parameters'][string] {
	return choices.find(({ value }) => value !== initial)!.value;
}
