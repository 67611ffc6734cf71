/** Returns the name of a field for comparison: in lower case, without separators. */
export const toPlainName = (name: string) => name.toLowerCase().replace(/[^\p{L}\d]/gu, '');

/** Splits the name of a field, e.g. `messageSentAt` or `sent_at`, into words in lower case. */
function toWords(name: string): string[] {
	const words = name.replace(/(?<=[a-z\d])(?=[A-Z])/g, ' ').toLowerCase();
	return words.match(/[a-z]+/g) ?? [];
}

const TIME_WORD =
	/^(times?|date|stamp|.*(timestamp|datetime)|created|ts|epoch|mom+ent|((create|sen[dt]|received?|message|msg|unix)(date|time|at)(ms)?))$/;
/** Words in the names of fields that change after the message was sent, including joined words: `isread`, `viewcount`. */
const MUTABLE_WORD =
	/^((is|un)?read(at|by)?|(is)?seen(at|by)?|(deliver|updat|edit|modif|chang|expir|delet|ack|reaction|revision).*|.*(status|state)|(view|like|repl\w+)?counts?|views?|viewed|likes|replies|votes|starred|pinned|played|revoked|ticks|etag)$/;

/** Whether the name of a field suggests a time that never changes. */
export function isTimeName(name: string): boolean {
	const words = toWords(name);
	const isNamed = words.at(-1) === 'at' || words.some((word) => TIME_WORD.test(word));
	return isNamed && !isMutableName(name);
}

/** Whether the name or path of a field suggests that its value changes after the message was sent. */
export const isMutableName = (name: string) => toWords(name).some((one) => MUTABLE_WORD.test(one));
