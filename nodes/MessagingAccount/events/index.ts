import type { INodeProperties, INodeTypeDescription } from 'n8n-workflow';

import { optionsOf, shownForChoice, subtitleOf } from '../parameters';
import { connectionChanged } from './connectionChanged.event';
import type { TriggerEvent } from './event';
import { newMessage } from './newMessage.event';

/** In the order of their names, as n8n wants its lists. */
export const events: TriggerEvent[] = [connectionChanged, newMessage];

const entries = events.map(({ entry }) => entry);

/** The parameters of the trigger: which event, then its options. */
export const properties: INodeProperties[] = [
	{
		displayName: 'Trigger On',
		name: 'event',
		type: 'options',
		noDataExpression: true,
		options: entries,
		default: 'newMessage',
	},
	...events.map(({ entry, options }) => shownForChoice('event', entry.value, optionsOf(options))),
];

export const subtitle = subtitleOf('event', entries);

/** A second output as long as the option "Possible Gap Output" is on. */
export const outputs: INodeTypeDescription['outputs'] = `={{ $parameter["event"] === "newMessage" && $parameter["options"]["gapOutput"]
	? [{ type: "main", displayName: "Message" }, { type: "main", displayName: "Possible Gap" }]
	: ["main"] }}`;
