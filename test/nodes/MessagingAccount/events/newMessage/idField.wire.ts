import {
	GAP,
	PAGED,
	START,
	list,
	message,
	play,
	plays,
	poll,
	set,
	trigger,
	useMessageLists,
} from '../../../../support/newMessages';

useMessageLists();

describe('the ID of a message', () => {
	const from = (sender: string, text: string) => ({ id: 'x', sender, text });
	const inChat = (id: number, chat: number) => ({ id, chat: { id: chat } });
	const inChats = [inChat(1, 7), inChat(2, 8), inChat(3, 7)];
	plays(
		'stands still for no poll, if for a time no listed message has the field of the user',
		set({ messageIdField: 'id' }),
		poll('1', null),
		poll(':notice', ':notice', /without an ID: 1\./, GAP),
		poll(':notice 2', '2'),
		poll('1-2', null),
		async (poller) => {
			list([[{ message_id: 1 }]]);
			await expect(poller.poll()).rejects.toThrow("'id'");
		},
	);
	plays(
		'that different messages share is one with what tells them apart',
		poll([from('a', 'Hello')], null),
		poll([from('a', 'Hello'), from('b', 'Hi')], [from('b', 'Hi')], /by 'sender, id'/),
		poll([from('a', 'Hello'), from('b', 'Hi!')], null),
	);
	plays(
		'that the service uses again causes one warning',
		poll('m1@1 m2@2', null),
		poll('m1@1 m2@2 m3@3', 'm3@3'),
		poll('m2@2 m3@3 m1@4', null, /later time than any before: 1\./),
		poll('m3@3 m1@4 m2@5', null),
		poll('m1@4 m2@5', null),
		poll('m1@4 m2@5 m3@6', null),
	);
	plays(
		'that different messages share in the field of the user causes one warning',
		set({ messageIdField: 'id' }),
		poll('1', null),
		poll('1 1:b', null, /ID of another message but different content: 1\..*chat\.id, message_id/),
		poll('1 1:b 2', '2'),
		poll('1-2', null),
		poll('1:b 1-2', null),
	);
	plays(
		'is found again after the option is removed, and messages hidden so far are emitted',
		set({ messageIdField: 'chat.id' }),
		poll(inChats.slice(0, 2), null),
		poll(inChats, null, /different content: 1\./),
		set({}),
		poll(inChats, [inChat(3, 7)]),
	);
	plays(
		'is found again after the option is removed, even if all messages have that field',
		set({ messageIdField: 'text' }),
		poll('1-2', null),
		set({}),
		poll('1-2', null),
		poll('1 2:edited 3', '3'),
	);
	plays(
		'may be missing: the content then identifies messages, with a warning about the effects',
		poll(':a :b', null, /without an ID: 2\..*changes/),
		poll(':a :b', null),
		poll(':b :c', ':c', /without an ID: 1\./),
		poll(':b :edited', ':edited', /without an ID: 1\./, GAP),
	);
	plays(
		'that appears later replaces the content',
		poll(':a', null, /without an ID: 1\./),
		poll(':a 1:b', '1:b'),
		poll(':a 1:edited', null),
	);
});

test('a changed ID field makes nothing new that was not listed meanwhile', async () => {
	const create = (n: number, id = `m${n}x`, chat_id = 'a') => ({ id, chat_id, date: START + n });
	const all = Array.from({ length: 40 }, (_, n) => create(n));
	const twins = [create(41, 'twin', 'a'), create(42, 'twin', 'b')];
	const last = (...messages: object[]) => messages.toReversed().slice(0, 20);
	await play(
		trigger(),
		poll(last(...all.slice(0, 20)), null),
		poll(last(...all.slice(0, 30)), all.slice(20, 30)),
		poll(last(...all), all.slice(30)),
		poll(last(...all, ...twins), twins, /may not be unique/),
		poll(last(...all.slice(0, 28), ...twins), null),
	);
});

test('a changed ID field makes nothing new on pages that the trigger reads once more', async () => {
	const inChat = (id: string, chat: string) => message(id, { chat_name: chat, chat_id: chat });
	const all = Array.from({ length: 12 }, (_, i) => inChat(`old${i}`, `c${i % 2}`)).reverse();
	const poller = trigger(PAGED);
	const emitted: string[][] = [];
	const receive = async (...added: object[]) => {
		all.unshift(...(added as typeof all));
		list(Array.from({ length: Math.ceil(all.length / 4) }, (_, i) => all.slice(4 * i, 4 * i + 4)));
		emitted.push((await poller.poll())?.[0].map(({ json }) => String(json.id)) ?? []);
	};
	for (let i = 0; i < 5; i++) await receive(inChat(`single${i}`, 'c0'));
	await receive(...Array.from({ length: 6 }, (_, i) => inChat(`many${i}`, 'c0')));
	await receive(inChat('twice', 'c1'), inChat('twice', 'c0'));
	expect(emitted.at(-2)).toHaveLength(6);
	expect(emitted.at(-1)).toEqual(['twice', 'twice']);
});

describe('an ID that is added to messages that had none', () => {
	const bare = ['a', 'b', 'c'].map((text) => ({ text, from: '49' }));
	const added: Array<[string, (n: number) => object]> = [
		['in a field', (n) => ({ id: n })],
		['in a wrapper', (n) => ({ key: { id: `k${n}` } })],
		['in several fields', (n) => ({ id: n, uuid: `u${n}` })],
		['with more in its wrapper', (n) => ({ key: { id: `k${n}`, fromMe: false } })],
	];
	test.each(added)('%s makes none new', async (_where, create) => {
		const poller = await play(trigger(), poll(bare, null, /without an ID: 3/));
		const all = [...bare, { text: 'd', from: '49' }].map((one, n) => ({ ...create(n), ...one }));
		await play(poller, poll(all, all.slice(3)), poll(all, null));
	});

	const withId = (id: unknown, text: string) => ({ id, text, from: '49' });
	plays(
		'makes none new if they get it one after another',
		poll(bare, null, /without an ID: 3/),
		poll([...bare, withId(4, 'd')], [withId(4, 'd')]),
		poll([bare[0], withId(2, 'b'), withId(3, 'c'), withId(4, 'd')], null),
		poll([withId(1, 'a'), withId(2, 'b'), withId(3, 'c'), withId(4, 'd')], null),
	);
	plays(
		'makes none new in place of null or an empty text, but another one with the same content while that is listed',
		poll([withId(1, 'a')], null),
		poll([withId(1, 'a'), withId(null, 'b')], [withId(null, 'b')], /without an ID: 1/),
		poll([withId(1, 'a'), withId(2, 'b')], null),
		poll([withId(2, 'b'), withId('', 'c')], [withId('', 'c')], /without an ID: 1/),
		poll([withId(2, 'b'), withId('', 'c'), withId(3, 'c')], [withId(3, 'c')]),
		poll([withId(2, 'b'), withId(4, 'c'), withId(3, 'c')], null),
	);
});
