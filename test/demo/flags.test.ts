import { parseFlags, usage } from '../../demo/flags';

const FLAGS = { once: 'run once', 'no-open': 'do not open it' };

test.each([
	[[], [], undefined],
	[['--once'], ['once'], undefined],
	[['--no-open', '--once', '--once'], ['once', 'no-open'], undefined],
	[['--once', '--onze', '--twice'], ['once'], '--onze'],
	[['once'], [], 'once'],
	[['-once'], [], '-once'],
	[['--once=yes'], [], '--once=yes'],
	[['--no-once'], [], '--no-once'],
	[['--'], [], '--'],
	[['--constructor'], [], '--constructor'],
])('%j has the flags %j, and no flag is %j', (args, given, unknown) => {
	expect(parseFlags(FLAGS, args)).toEqual({ given: new Set(given), unknown });
});

test('the usage has a line for each flag', () => {
	expect(usage('demo', FLAGS)).toBe(`Usage: npm run demo -- [FLAG…]

  --once     run once
  --no-open  do not open it`);
});
