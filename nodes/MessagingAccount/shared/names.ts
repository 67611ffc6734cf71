/** Returns the name of a field as names are compared: without case and separators. */
export function toPlainName(name: string): string {
	return name.toLowerCase().replace(/[^\p{L}\d]/gu, '');
}

/** Splits the name of a field, e.g. `messageSentAt` or `sent_at`, into words in lower case. */
function toWords(name: string): string[] {
	return (
		name
			.replace(/(?<=[a-z\d])(?=[A-Z])/g, ' ')
			.toLowerCase()
			.match(/[a-z]+/g) ?? []
	);
}

const TIME_WORDS =
	/^(time|date|stamp|.*(timestamp|datetime)|times?|created|ts|(created|sent|received|posted)?at)$/;

/** Fields that change after the message was sent, also in one word: `isread`, `viewcount`. */
const MUTABLE_WORDS =
	/^((is|un)?read(at|by)?|(is)?seen(at|by)?|(deliver|updat|edit|modif|chang|expir|delet|ack|reaction|revision).*|.*(status|state)|(view|like|repl\w+)?counts?|views?|viewed)$/;

/** Whether a field has a name like that of a time that never changes. */
export function isTimeName(name: string): boolean {
	const words = toWords(name);
	const isTime = (word: string, i: number) =>
		TIME_WORDS.test(word) && (word !== 'at' || i === words.length - 1);
	return words.some(isTime) && !isMutableName(name);
}

/** By name, because it is asked for every field of every message. */
const mutableNames = new Map<string, boolean>();

/** Whether a field has a name, or a part of a path, like those of fields that change after the message was sent. */
export function isMutableName(name: string): boolean {
	let isMutable = mutableNames.get(name);
	if (isMutable === undefined) {
		isMutable = toWords(name).some((word) => MUTABLE_WORDS.test(word));
		if (mutableNames.size < MAX_REMEMBERED) mutableNames.set(name, isMutable);
	}
	return isMutable;
}

const MAX_REMEMBERED = 1000;
