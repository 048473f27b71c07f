import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Paths where package managers install Chromium. */
const USUAL_PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const executablePath = process.env.CHROMIUM ?? USUAL_PATHS.find(existsSync);

/** The reason why browser tests are skipped, for their titles. */
export const missingChromium =
  executablePath === undefined
    ? `no Chromium at ${USUAL_PATHS.join(', ')}: install it, or set CHROMIUM to its path`
    : undefined;

/**
 * Features of the browser's own window, each of which renders another page beside every page of a test, and the features that
 * Playwright disables, because only the last list counts.
 */
const UNUSED_FEATURES = [
  'InitialWebUI',
  'WebUIReloadButton',
  'WebUIToolbar',
  'WebUILocationBar',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'WebUITabStrip',
  'PreloadTopChromeWebUI',
  'PreloadTopChromeWebUILessNavigations',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

/**
 * Starts the system's Chromium headless. The environment variable `CHROMIUM` overrides its path.
 *
 * @throws Error if no browser is installed.
 */
export async function launchChromium(): Promise<Browser> {
  if (missingChromium !== undefined) throw new Error(`Expected a browser, got ${missingChromium}.`);
  return chromium.launch({
    executablePath,
    args: [
      // Containers usually forbid Chromium's sandbox and have little shared memory.
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--disable-gpu',
      // Disables all network traffic except that of the tests.
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--disable-features=${UNUSED_FEATURES.join(',')}`,
    ],
  });
}
