import {
	updateDisplayOptions,
	type INodeProperties,
	type INodePropertyOptions,
} from 'n8n-workflow';

/** An operation of the node or an event of the trigger, as n8n shows it. */
export interface Choice {
	/** The entry in n8n's list of them. */
	entry: INodePropertyOptions & { value: string };
	/** The parameters for this choice alone; `createProperties` sets their display options. */
	parameters?: INodeProperties[];
	/** The options for this choice, in the collection "Options". */
	options: INodeProperties[];
}

/** Creates the parameters of a node: first the one that chooses, then the parameters and options of each choice. */
export function createProperties(
	chooser: Pick<INodeProperties, 'displayName' | 'name' | 'default'>,
	choices: Choice[],
): INodeProperties[] {
	const entries = choices.map(({ entry }) => entry);
	return [
		{ ...chooser, type: 'options', noDataExpression: true, options: entries },
		...choices.flatMap(({ entry, parameters = [], options }) =>
			updateDisplayOptions({ show: { [chooser.name]: [entry.value] } }, [
				...parameters,
				{
					displayName: 'Options',
					name: 'options',
					type: 'collection',
					placeholder: 'Add Option',
					default: {},
					// n8n wants them sorted by name.
					options: [...options].sort((a, b) => a.displayName.localeCompare(b.displayName)),
				},
			]),
		),
	];
}

/** Creates the expression for the node's subtitle on the canvas: the name of the choice. */
export function createSubtitle(parameterName: string, choices: Choice[]): string {
	const names = Object.fromEntries(choices.map(({ entry }) => [entry.value, entry.name]));
	return `={{ (${JSON.stringify(names)})[$parameter["${parameterName}"]] }}`;
}
