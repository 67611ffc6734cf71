const WIDTH_KEY = 'phone-width';
const STEP_PX = 16;

/**
 * @param {string} id
 * @returns {HTMLElement}
 */
function find(id) {
	const found = document.getElementById(id);
	if (found) return found;
	throw new Error(`No #${id} on this page.`);
}

const phone = find('phone');
const separator = find('separator');
const toggle = find('toggle');

const stored = Number(localStorage.getItem(WIDTH_KEY));
if (stored > 0) requestWidth(stored);

// Also when the window is resized.
new ResizeObserver(describeWidth).observe(phone);

toggle.addEventListener('click', () => {
	const isShown = phone.hidden;
	phone.hidden = !isShown;
	separator.hidden = !isShown;
	toggle.textContent = isShown ? 'Hide phone' : 'Show phone';
	toggle.ariaExpanded = String(isShown);
});

separator.addEventListener('keydown', (event) => {
	const steps = { ArrowLeft: 1, ArrowRight: -1 }[event.key];
	if (!steps) return;
	event.preventDefault();
	setWidth(width() + steps * STEP_PX);
});

/** From the pointer to the left edge of the phone. */
let distance = 0;
separator.addEventListener('pointerdown', ({ button, pointerId, clientX }) => {
	if (button !== 0) return;
	distance = phone.getBoundingClientRect().left - clientX;
	separator.setPointerCapture(pointerId);
});
separator.addEventListener('pointermove', ({ pointerId, clientX }) => {
	if (!separator.hasPointerCapture(pointerId)) return;
	setWidth(phone.getBoundingClientRect().right - clientX - distance);
});

function width() {
	return phone.getBoundingClientRect().width;
}

/**
 * Changes the width within the stylesheet's limits, and remembers it.
 *
 * @param {number} px
 */
function setWidth(px) {
	requestWidth(px);
	localStorage.setItem(WIDTH_KEY, String(width()));
}

/** @param {number} px */
function requestWidth(px) {
	phone.style.setProperty('--phone-width', `${px}px`);
}

function describeWidth() {
	const { minWidth, maxWidth } = getComputedStyle(phone);
	separator.ariaValueMin = String(Math.round(parseFloat(minWidth)));
	separator.ariaValueMax = String(Math.round(parseFloat(maxWidth)));
	separator.ariaValueNow = String(Math.round(width()));
}
