import { existsSync } from 'node:fs';

/** Where a browser is looked for; the variable names another one. */
const CANDIDATES = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** A browser on this machine, if there is one. CI has one: there, none is an error. */
export const chromiumPath = CANDIDATES.find((path) => path !== undefined && existsSync(path));
if (chromiumPath === undefined && process.env.CI === 'true')
  throw new Error(`no chromium found at ${CANDIDATES.filter(Boolean).join(', ')}; set CHROMIUM_PATH`);

/** What it is started with: headless, quiet, and talking to nobody by itself. */
export const LAUNCH_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
