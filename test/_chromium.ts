import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where package managers put Chromium. */
const USUAL_PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/**
 * Starts the system's Chromium without a window; the environment variable `CHROMIUM` names another program.
 *
 * @throws Error where there is none: a test in a browser that does not run must not look like one that passed.
 */
export async function launchChromium(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? USUAL_PATHS.find(existsSync);
  if (executablePath === undefined) {
    throw new Error(
      `Expected Chromium at one of ${USUAL_PATHS.join(', ')}, found none. Install it, or name it in CHROMIUM.`,
    );
  }
  // Containers seldom let Chromium make its sandbox, and little shared memory.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}
