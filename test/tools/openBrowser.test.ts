import { canOpenBrowser } from '../../tools/stack/openBrowser';

test.each<[boolean, NodeJS.Platform, NodeJS.ProcessEnv]>([
	[true, 'linux', { DISPLAY: ':0' }],
	[true, 'linux', { WAYLAND_DISPLAY: 'wayland-0' }],
	[true, 'darwin', {}],
	[true, 'win32', {}],
	[false, 'linux', { DISPLAY: '', WAYLAND_DISPLAY: '' }],
	[false, 'linux', { DISPLAY: ':0', CI: 'true' }],
	// With a forwarded display, too: the browser would be slow, and on another machine.
	[false, 'linux', { DISPLAY: ':0', SSH_CONNECTION: '192.0.2.1 50000 192.0.2.2 22' }],
	[false, 'darwin', { SSH_TTY: '/dev/ttys001' }],
])('%s on %s with %j', (expected, platform, env) => {
	expect(canOpenBrowser(env, platform)).toBe(expected);
});
