import { canOpenBrowser } from '../../demo/openBrowser';

const X11 = { DISPLAY: ':0' };
const WAYLAND = { WAYLAND_DISPLAY: 'wayland-0' };

test.each<[boolean, NodeJS.Platform, NodeJS.ProcessEnv]>([
	[true, 'linux', X11],
	[true, 'linux', WAYLAND],
	[true, 'freebsd', X11],
	[true, 'darwin', {}],
	[true, 'win32', {}],
	[false, 'linux', {}],
	[false, 'linux', { DISPLAY: '', WAYLAND_DISPLAY: '' }],
	[false, 'linux', { ...X11, CI: 'true' }],
	[false, 'darwin', { CI: '1' }],
	[false, 'win32', { CI: 'true' }],
	// With a forwarded display, too: the browser would be slow, and on another machine.
	[false, 'linux', { ...X11, SSH_CONNECTION: '192.0.2.1 50000 192.0.2.2 22' }],
	[false, 'darwin', { SSH_TTY: '/dev/ttys001' }],
])('%s on %s with %j', (expected, platform, env) => {
	expect(canOpenBrowser(env, platform)).toBe(expected);
});
