import { formatReport, isCompatible, type Finding } from '../../tools/checkService/finding';

const GOOD: Finding = { topic: 'Status', sentences: ['Connected.'] };
const UNKNOWN = ['Not known.', 'It will be.'];
const NOTABLE: Finding = { topic: 'Order', sentences: UNKNOWN, isNotable: true };
const SETTINGS = ["'Page Parameter' to 'page'", "'Page Start' to 1"];
const TO_SET: Finding = { topic: 'Pages', sentences: ['From 1.'], settings: SETTINGS };
const BAD: Finding = { topic: 'Messages', sentences: ['None.'], obstacle: 'it has none' };

test('a service that needs nothing', () => {
	expect(isCompatible([GOOD, NOTABLE])).toBe(true);
	expect(formatReport([GOOD, NOTABLE])).toBe(`\
✔ Status      Connected.
! Order       Not known.
              It will be.

The nodes work with this service.`);
});

test('a service that needs settings', () => {
	expect(isCompatible([GOOD, TO_SET])).toBe(true);
	expect(formatReport([GOOD, TO_SET])).toBe(`\
✔ Status      Connected.
! Pages       From 1.
              Set 'Page Parameter' to 'page', and 'Page Start' to 1.

The nodes work with this service. Set 'Page Parameter' to 'page', and 'Page Start' to 1.`);
});

test('a service with obstacles', () => {
	expect(isCompatible([GOOD, BAD])).toBe(false);
	expect(formatReport([{ ...BAD, topic: 'Status' }, BAD, TO_SET])).toMatch(
		/^✖ Status {6}None\.\n✖ Messages {4}None\.\n[^]*\n\nThe nodes do not work with this service yet: it has none, and it has none\.$/,
	);
});
