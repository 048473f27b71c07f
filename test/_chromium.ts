import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where package managers put Chromium. */
const USUAL_PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const executablePath = process.env.CHROMIUM ?? USUAL_PATHS.find(existsSync);

/** Why pages cannot be tested here, to be printed with tests that are skipped. */
export const missingChromium =
  executablePath === undefined
    ? `no Chromium at ${USUAL_PATHS.join(', ')}: install it, or name it in CHROMIUM`
    : undefined;

/**
 * Starts the system's Chromium without a window; the environment variable `CHROMIUM` names another program.
 *
 * @throws Error where there is none.
 */
export async function launchChromium(): Promise<Browser> {
  if (missingChromium !== undefined) throw new Error(`Expected a browser, found ${missingChromium}.`);
  return chromium.launch({
    executablePath,
    args: [
      // Containers seldom let Chromium make its sandbox, and have little shared memory.
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--disable-gpu',
      // Nothing is asked of the network but what a test asks.
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
