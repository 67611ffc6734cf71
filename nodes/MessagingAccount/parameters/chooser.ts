import type { INode, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import { createError } from '../errors/nodeErrors';
import { noSuchChoice } from './optionReaders';

/** An operation of the node or an event of the trigger: its entry in the list of them, its parameters and its options. */
export interface Choice {
	entry: INodePropertyOptions & { value: string };
	/** `createChooser` sets their display options. */
	parameters?: INodeProperties[];
	options?: INodeProperties[];
}

/** Creates the parameters of a node: first the one that chooses, then the parameters and options of each choice. */
export function createChooser<T extends Choice>(
	chooser: Pick<INodeProperties, 'displayName' | 'name' | 'default'>,
	choices: T[],
) {
	const entries = choices.map(({ entry }) => entry);
	const names = Object.fromEntries(entries.map(({ value, name }) => [value, name]));
	const properties: INodeProperties[] = [
		{ ...chooser, type: 'options', noDataExpression: true, options: entries },
		...choices.flatMap(({ entry, parameters = [], options = [] }) =>
			updateDisplayOptions({ show: { [chooser.name]: [entry.value] } }, [
				...parameters,
				{
					displayName: 'Options',
					name: 'options',
					type: 'collection',
					placeholder: 'Add option',
					default: {},
					// n8n wants them sorted by name.
					options: [...options].sort((a, b) => a.displayName.localeCompare(b.displayName)),
				},
			]),
		),
	];
	return {
		properties,
		subtitle: `={{ (${JSON.stringify(names)})[$parameter["${chooser.name}"]] }}`,
		find(value: unknown, node: INode): T {
			const found = choices.find(({ entry }) => entry.value === value);
			if (found) return found;
			const all = `one of ${Object.values(names).join(', ')}`;
			throw createError(node, noSuchChoice(chooser.displayName, value, all));
		},
	};
}
