/** @import { Connection, Message } from '../account' */
/** @import { Snapshot } from '../phone' */

/**
 * @template {Element} T
 * @param {string} selector
 * @param {new () => T} type
 * @param {ParentNode} within
 * @returns {T}
 */
function find(selector, type, within = document) {
	const found = within.querySelector(selector);
	if (found instanceof type) return found;
	throw new Error(`There is no ${selector} on this page.`);
}

const scan = find('#scan', HTMLButtonElement);
const logOut = find('#log-out', HTMLButtonElement);
const chats = find('#chats', HTMLUListElement);
const form = find('#receive', HTMLFormElement);
const lost = find('#lost', HTMLElement);

/** By number: the bubbles of a chat. */
const bubbles = /** @type {Map<string, HTMLOListElement>} */ (new Map());

const events = new EventSource('/phone/events');
events.addEventListener('open', () => (lost.hidden = true));
events.addEventListener('error', () => (lost.hidden = false));
// All there is: at first, and again after each lost connection.
events.addEventListener('account', ({ data }) => {
	const { connection, messages } = /** @type {Snapshot} */ (JSON.parse(data));
	showConnection(connection);
	chats.replaceChildren();
	bubbles.clear();
	find('#no-chats', HTMLElement).hidden = false;
	messages.forEach(showMessage);
});
events.addEventListener('connection', ({ data }) => showConnection(JSON.parse(data)));
events.addEventListener('message', ({ data }) => {
	const message = /** @type {Message} */ (JSON.parse(data));
	showMessage(message);
	const { direction, number, caption, text } = message;
	const news = direction === 'outgoing' ? `Image to +${number}` : `Message from +${number}`;
	find('#news', HTMLElement).textContent = `${news}: ${text ?? caption ?? 'no caption'}`;
});

scan.addEventListener('click', () => post('/phone/scan'));
logOut.addEventListener('click', () => post('/phone/log-out'));
form.addEventListener('submit', async (event) => {
	event.preventDefault();
	const { number, text } = Object.fromEntries(new FormData(form));
	const digits = String(number).replace(/[+().\s-]/g, '');
	if (await post('/phone/receive', { number: digits, text })) {
		find('[name=text]', HTMLInputElement, form).value = '';
	}
});

/** @param {Connection} connection */
function showConnection({ is_connected, qr }) {
	const focused = document.activeElement;
	find('#linked', HTMLElement).hidden = !is_connected;
	logOut.hidden = !is_connected;
	find('#not-linked', HTMLElement).hidden = is_connected;
	// The button that was pressed is gone: who uses the keyboard goes on from the one in its place.
	if (focused === scan || focused === logOut) (is_connected ? logOut : scan).focus();
	if (qr) find('#qr', HTMLImageElement).src = qr;
}

/** @param {Message} message */
function showMessage({ direction, number, url, caption, text, sent_at }) {
	const bubble = copyOf('#bubble');
	bubble.className = direction;
	const picture = find('img', HTMLImageElement, bubble);
	if (url !== undefined) {
		picture.src = url;
		picture.alt = caption ? `Image: ${caption}` : 'Image without a caption';
		picture.hidden = false;
	}
	const words = find('p', HTMLElement, bubble);
	words.textContent = text ?? caption ?? '';
	words.hidden = words.textContent === '';
	const time = find('time', HTMLTimeElement, bubble);
	time.dateTime = sent_at;
	time.textContent = new Date(sent_at).toLocaleTimeString([], { timeStyle: 'short' });

	const chat = bubbles.get(number) ?? newChat(number);
	chat.append(bubble);
	find('#no-chats', HTMLElement).hidden = true;
	const row = chat.closest('li');
	// The newest on top; what somebody is at with the keyboard stays where it is, as moving it would take the focus.
	if (row && !row.contains(document.activeElement)) chats.prepend(row);
	// After the move, which scrolls back to the beginning, and once more when a picture is there and has its height.
	const toEnd = () => (chat.scrollTop = chat.scrollHeight);
	toEnd();
	picture.addEventListener('load', toEnd);
}

/** @param {string} number */
function newChat(number) {
	const row = copyOf('#chat');
	find('summary', HTMLElement, row).textContent = `+${number}`;
	const chat = find('ol', HTMLOListElement, row);
	chat.ariaLabel = `Chat with +${number}`;
	bubbles.set(number, chat);
	return chat;
}

/**
 * @param {string} template
 * @returns {HTMLLIElement}
 */
function copyOf(template) {
	const content = find(template, HTMLTemplateElement).content.cloneNode(true);
	return find('li', HTMLLIElement, /** @type {DocumentFragment} */ (content));
}

/**
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<boolean>} whether it was done; that the service cannot be reached is shown by `lost`
 */
async function post(path, body) {
	const response = await fetch(path, {
		method: 'POST',
		headers: body ? { 'content-type': 'application/json' } : {},
		body: body && JSON.stringify(body),
	}).catch(() => undefined);
	return response?.ok === true;
}
