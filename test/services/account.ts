const createMessage = (n: number, at: number, chat: number, inChat: number) => ({
	/** From 0, in the order of their coming. */
	n,
	/** Contains the number. */
	text: `message ${n}.`,
	/** ms since 1970 */
	at,
	chat: 1000 + chat,
	/** From 1, in its chat. */
	inChat,
	/** Counts up whenever the message is changed. */
	status: 0,
});

export type Message = ReturnType<typeof createMessage>;

/** Returns a number of at least 0 and less than 1. */
export type Random = () => number;

/** Creates a random generator. The same seed gives the same numbers. (Mulberry32, Tommy Ettinger, public domain.) */
export function createRandom(seed: number): Random {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

const CHATS = 8;

/** A simulated account. Its clock only runs when it is told to. */
export class Account {
	/** All that ever came, in order. */
	readonly messages: Message[] = [];
	/** Those that exist, the newest first. */
	listed: Message[] = [];
	/** ms since 1970 */
	now = Date.UTC(2026, 10, 1);
	/** Minutes since the start. */
	minute = 0;
	private readonly countInChat: number[] = Array.from({ length: CHATS }, () => 0);

	constructor(readonly random: Random) {}

	/** Lets a minute pass. */
	tick(): void {
		this.minute++;
		this.now += 60_000;
	}

	receive(count: number): void {
		for (let i = 0; i < count; i++) {
			const chat = this.pick(CHATS);
			const inChat = ++this.countInChat[chat];
			const message = createMessage(this.messages.length, this.now + i, chat, inChat);
			this.messages.push(message);
			this.listed.unshift(message);
		}
	}

	/** Receives what comes in a minute, where `perHour` come in an hour, on average. */
	receiveInMinute(perHour: number): void {
		if (perHour > 60) this.receive(this.pick(perHour / 30 + 1));
		else if (this.chance(60 / perHour)) this.receive(1);
	}

	/** Lists these before all others. */
	moveToFront(...moved: Message[]): void {
		this.listed = [...moved, ...this.listed.filter((one) => !moved.includes(one))];
	}

	/** Returns a whole number of at least 0 and less than `count`. */
	pick(count: number): number {
		return Math.floor(this.random() * count);
	}

	/** Whether something happens that does so every `minutes`, on average. */
	chance(minutes: number): boolean {
		return this.random() * minutes < 1;
	}

	remove(isRemoved: (message: Message) => boolean): void {
		this.listed = this.listed.filter((message) => !isRemoved(message));
	}
}
