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

const WHILE_YOU_BUILD =
	"<b>While you build</b>, 'Fetch Test Event' shows what is there now, and changes nothing.<br /><br />";

/** What n8n shows in the place of an input. */
export const triggerPanel: INodeTypeDescription['triggerPanel'] = {
	header: 'See what the account has now',
	executionsHelp: {
		inactive: `${WHILE_YOU_BUILD}<b>Once the workflow is published</b>, n8n asks the service as often as 'Poll Times' says. The first time it takes note of what is there; after that, each message or change starts the workflow once.`,
		active: `${WHILE_YOU_BUILD}<b>This workflow is published</b>: n8n asks the service as often as 'Poll Times' says, and each new message or change starts it once. See the executions list.`,
	},
	activationHint: {
		inactive:
			'Once the workflow is published, each new message or change of the connection starts it.',
		active: 'Each new message or change of the connection starts the workflow.',
	},
};
