/** @import { Connection, Message } from '../account' */
/** @import { Snapshot } from '../phone' */

import { withLinks } from './links.js';

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
	throw new Error(`No ${selector} on this page.`);
}

const scan = find('#scan', HTMLButtonElement);
const logOut = find('#log-out', HTMLButtonElement);
const chats = find('#chats', HTMLUListElement);
const form = find('#receive', HTMLFormElement);
const numberField = find('[name=number]', HTMLInputElement, form);
const textField = find('[name=text]', HTMLInputElement, form);
const lost = find('#lost', HTMLElement);

/** List of message bubbles, by number. */
const bubbles = /** @type {Map<string, HTMLOListElement>} */ (new Map());

/** Number of the message that was written here last, until it appears. @type {string | undefined} */
let writer;

const events = new EventSource('/phone/events');
events.addEventListener('open', () => (lost.hidden = true));
events.addEventListener('error', () => (lost.hidden = false));
// The full state: sent first, and again on each reconnect.
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
	if (direction === 'incoming' && number === writer) {
		writer = undefined;
		reveal(number);
	}
	const news = direction === 'outgoing' ? `Image to +${number}` : `Message from +${number}`;
	find('#news', HTMLElement).textContent = `${news}: ${text ?? caption ?? 'no caption'}`;
});

scan.addEventListener('click', () => post('/phone/scan'));
logOut.addEventListener('click', () => post('/phone/log-out'));
form.addEventListener('submit', async (event) => {
	event.preventDefault();
	const { number, text } = Object.fromEntries(new FormData(form));
	const digits = String(number).replace(/[+().\s-]/g, '');
	writer = digits;
	if (await post('/phone/receive', { number: digits, text })) textField.value = '';
	else writer = undefined;
});

/** @param {Connection} connection */
function showConnection({ is_connected, qr }) {
	const focused = document.activeElement;
	find('#linked', HTMLElement).hidden = !is_connected;
	logOut.hidden = !is_connected;
	find('#not-linked', HTMLElement).hidden = is_connected;
	// The pressed button is now hidden: keyboard users continue from the one that replaces it.
	if (focused === scan || focused === logOut) (is_connected ? logOut : scan).focus();
	if (qr) find('#qr', HTMLImageElement).src = qr;
}

/** @param {Message} message */
function showMessage({ direction, number, picture, caption, text, sent_at }) {
	const bubble = cloneTemplate('#bubble');
	bubble.className = direction;
	const image = find('img', HTMLImageElement, bubble);
	if (picture !== undefined) {
		image.src = picture;
		image.alt = caption ? `Image: ${caption}` : 'Image without a caption';
		image.hidden = false;
	}
	const paragraph = find('p', HTMLElement, bubble);
	paragraph.replaceChildren(...withLinks(text ?? caption ?? ''));
	paragraph.hidden = paragraph.textContent === '';
	const time = find('time', HTMLTimeElement, bubble);
	time.dateTime = sent_at;
	time.textContent = new Date(sent_at).toLocaleTimeString([], { timeStyle: 'short' });

	const chat = bubbles.get(number) ?? newChat(number);
	chat.append(bubble);
	find('#no-chats', HTMLElement).hidden = true;
	const row = chat.closest('li');
	// Newest chat on top. A chat that has the focus stays in place: moving it would drop the focus.
	if (row && !row.contains(document.activeElement)) chats.prepend(row);
	// The move resets the scroll position, and an image has its height only once it has loaded.
	const scrollToEnd = () => (chat.scrollTop = chat.scrollHeight);
	scrollToEnd();
	image.addEventListener('load', scrollToEnd);
}

/** @param {string} number */
function newChat(number) {
	const row = cloneTemplate('#chat');
	find('summary', HTMLElement, row).textContent = `+${number}`;
	const chat = find('ol', HTMLOListElement, row);
	chat.ariaLabel = `Chat with +${number}`;
	// The summary is clicked with the keyboard, too. It keeps the focus, as it opens and closes the chat.
	row.addEventListener('click', () => (numberField.value = `+${number}`));
	chat.addEventListener('click', ({ target }) => {
		const isLink = target instanceof Element && target.closest('a');
		// The focus would drop the selection of somebody who copies a text.
		if (!isLink && document.getSelection()?.isCollapsed !== false) textField.focus();
	});
	chat.addEventListener('keydown', (event) => {
		if (event.key !== 'Enter' || event.target !== chat) return;
		event.preventDefault();
		chat.click();
	});
	bubbles.set(number, chat);
	return chat;
}

/**
 * Scrolls to the newest message of a chat, and opens the chat if it is closed.
 *
 * @param {string} number
 */
function reveal(number) {
	const chat = bubbles.get(number);
	const details = chat?.closest('details');
	if (!details) return;
	details.open = true;
	// The chat may be higher than the window.
	for (const shown of [details, chat?.lastElementChild])
		shown?.scrollIntoView({ block: 'nearest' });
}

/**
 * @param {string} selector of the template
 * @returns {HTMLLIElement}
 */
function cloneTemplate(selector) {
	const content = find(selector, HTMLTemplateElement).content.cloneNode(true);
	return find('li', HTMLLIElement, /** @type {DocumentFragment} */ (content));
}

/**
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<boolean>} whether the request succeeded; `lost` already shows that the service is unreachable
 */
async function post(path, body) {
	const response = await fetch(path, {
		method: 'POST',
		headers: body ? { 'content-type': 'application/json' } : {},
		body: body && JSON.stringify(body),
	}).catch(() => undefined);
	return response?.ok === true;
}
