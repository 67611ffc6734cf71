/** Opens the address in the browser of this machine, if there is one that somebody sees. */
export async function openBrowser(url: string): Promise<void> {
	if (!canOpenBrowser(process.env, process.platform)) return;
	const { default: open } = await import('open');
	// The terminal has the address, too.
	await open(url).catch(() => {});
}

/** Whether the process runs on a desktop: neither in CI nor over SSH. */
export function canOpenBrowser(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): boolean {
	if (env.CI || env.SSH_CONNECTION || env.SSH_TTY) return false;
	if (platform === 'darwin' || platform === 'win32') return true;
	return Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}
