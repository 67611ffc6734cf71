import type { ApiError } from '../../nodes/MessagingAccount/errors/errorClasses';

/** What the check found about one topic. */
export interface Finding {
	/** One or two words, e.g. Status */
	topic: string;
	sentences: string[];
	/** Settings to make in the nodes, e.g. "'Page Start' to 1". */
	settings?: string[];
	/** The nodes work, but perhaps not as one expects. */
	isNotable?: boolean;
	/** Why the nodes do not work with the service, as it stands after a colon. */
	obstacle?: string;
}

/** Returns the sentences for what the nodes report. */
export function describeError({ message, description }: ApiError): string[] {
	return [`${message}.`, description];
}

/** Whether the nodes work with the service, perhaps with some settings. */
export function isCompatible(findings: Finding[]): boolean {
	return findings.every(({ obstacle }) => obstacle === undefined);
}

const MAX_TOPIC_LENGTH = 10;
const INDENT = ' '.repeat(MAX_TOPIC_LENGTH + 4);

/** Returns the lines to print: each sentence on its own, and the verdict at the end. */
export function formatReport(findings: Finding[]): string {
	return `${findings.map(formatFinding).join('\n')}\n\n${describeVerdict(findings)}`;
}

function formatFinding({ topic, sentences, settings, isNotable, obstacle }: Finding): string {
	const mark = obstacle ? '✖' : settings || isNotable ? '!' : '✔';
	const lines = settings ? [...sentences, setSentence(settings)] : sentences;
	return `${mark} ${topic.padEnd(MAX_TOPIC_LENGTH)}  ${lines.join(`\n${INDENT}`)}`;
}

function describeVerdict(findings: Finding[]): string {
	const obstacles = findings.flatMap(({ obstacle }) => obstacle ?? []);
	if (!isCompatible(findings)) {
		return `The nodes do not work with this service yet: ${obstacles.join(', and ')}.`;
	}
	const settings = findings.flatMap((finding) => finding.settings ?? []);
	const works = 'The nodes work with this service.';
	return settings.length > 0 ? `${works} ${setSentence(settings)}` : works;
}

function setSentence(settings: string[]): string {
	return `Set ${settings.join(', and ')}.`;
}
