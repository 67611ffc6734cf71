import type { INodeTypeDescription } from 'n8n-workflow';

import { createProperties, createSubtitle } from '../parameters/nodeProperties';
import { connectionChanged } from './connectionChanged.event';
import type { TriggerEvent } from './event';
import { newMessage } from './newMessage.event';

/** All events, sorted by name, as n8n wants its lists. */
export const events: TriggerEvent[] = [connectionChanged, newMessage];

export const properties = createProperties(
	{ displayName: 'Trigger On', name: 'event', default: 'newMessage' },
	events,
);

export const subtitle = createSubtitle('event', events);

/** The outputs: a second one while the option "Possible Gap Output" is on. */
export const outputs: INodeTypeDescription['outputs'] = `={{ $parameter["event"] === "newMessage" && $parameter["options"]["gapOutput"]
	? [{ type: "main", displayName: "Message" }, { type: "main", displayName: "Possible Gap" }]
	: ["main"] }}`;

const WHILE_BUILDING =
	"<b>While building your workflow</b>, 'Fetch Test Event' shows the newest message or the current status, and changes nothing.<br /><br />";

const OWN_MESSAGES =
	"The list of messages may include your own: if the workflow sends messages, leave these out with 'Only Messages Where'.";

/** The panel in the place where other nodes have their input. */
export const triggerPanel: INodeTypeDescription['triggerPanel'] = {
	header: 'See the newest message or the current status',
	executionsHelp: {
		inactive: `${WHILE_BUILDING}<b>Once the workflow is published</b>, n8n polls the service at the interval set in 'Poll Times'. The first poll only remembers what is there. After that, each new message or change starts the workflow once. ${OWN_MESSAGES}`,
		active: `${WHILE_BUILDING}<b>This workflow is published</b>: n8n polls the service at the interval set in 'Poll Times', and each new message or change starts it once. See the executions list. ${OWN_MESSAGES}`,
	},
	activationHint: {
		inactive: 'Once the workflow is published, each new message or connection change starts it.',
		active: 'Each new message or connection change starts the workflow.',
	},
};
