import { type Browser, chromium } from 'playwright-core';
import { tool } from './tools.js';

/** Headless, quiet, and talking to nobody by itself. */
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts the Chromium of this machine. Throws if there is none, and says how to get it. */
export const launchChromium = (...more: string[]): Promise<Browser> =>
  chromium.launch({ executablePath: tool('chromium'), args: [...ARGS, ...more] });
