import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { launchChromium } from '../../test/chromium.js';
import { needs } from '../../test/tools.js';
import type { Emulator, EmulatorOptions } from '../index.js';
import { createTestClient } from './client.harness.js';

/** A page of the console over an emulator of its own, and that emulator to talk to beside it. */
export interface Opened {
  page: Page;
  emulator: Emulator;
  api: ReturnType<typeof createTestClient>;
  url: string;
  /** The seeded intern, and its name. */
  intern: { id: string; name: string };
  /** Goes to a view of the page. */
  go(view: string): Promise<void>;
}

interface OpenOptions {
  emulator?: EmulatorOptions;
  context?: BrowserContextOptions;
  view?: string;
}

/** Runs tests in a browser. */
export function inBrowser(name: string, tests: (open: (options?: OpenOptions) => Promise<Opened>) => void): void {
  describe(name, needs('chromium'), () => {
    let browser: Browser;
    let closing: (() => Promise<unknown>)[] = [];
    /** The page's own error messages: every test must have none. */
    let errors: string[] = [];

    beforeAll(async () => {
      browser = await launchChromium();
    });
    afterEach(async () => {
      for (const close of closing.reverse()) await close();
      closing = [];
      const found = errors;
      errors = [];
      expect(found).toEqual([]);
    });
    afterAll(async () => {
      await browser?.close();
    });

    tests(async ({ emulator: emulatorOptions, context: contextOptions, view = '' } = {}) => {
      const api = createTestClient(emulatorOptions);
      const { emulator } = api;
      closing.push(() => emulator.close());
      const { url } = await emulator.listen({ port: 0 });
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...contextOptions });
      closing.push(() => context.close());
      const page = await context.newPage();
      page.setDefaultTimeout(30_000);
      page.on('pageerror', (error) => errors.push(error.message));
      page.on('console', (message) => {
        // A refusal is shown by the page. The browser reports it to its console too, which is not an error of the page.
        if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
          errors.push(message.text());
      });
      const go = async (place: string) => {
        await page.goto(`${url}/_emulator/${place}`);
      };
      await go(view);
      const id = emulator.target.credentials.intern?.id ?? '';
      return { page, emulator, api, url, intern: { id, name: 'first-intern' }, go };
    });
  });
}
