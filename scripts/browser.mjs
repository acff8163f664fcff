import { spawn } from 'node:child_process';
import { findOnPath } from './run.mjs';

/**
 * Opens the address in the user's browser, if there is a screen to open it on; never fails.
 * @param {string} url
 */
export function openBrowser(url) {
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const hasScreen = process.platform !== 'linux' || process.env.DISPLAY || process.env.WAYLAND_DISPLAY;
  if (process.env.CI || !hasScreen || findOnPath([opener]) === undefined) {
    return;
  }
  const child = spawn(opener, [url], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}
