// Makes docs/images/console-*.png: the main views of the console over an emulator that has something to show, light and
// dark and as wide as a phone. Run by `npm run screenshots`; needs Chromium.

import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { createEmulator } from '../emulator/index.js';
import { chromiumPath, LAUNCH_ARGS } from '../test/chromium.js';
import { playScenes } from './scenes.js';

const OUT = resolve(import.meta.dirname, '..', process.argv[2] ?? 'docs/images');

interface Shot {
  name: string;
  path: string;
  dark?: boolean;
  phone?: boolean;
  /** What to do before the picture is taken. */
  prepare?: (page: Page) => Promise<unknown>;
}

async function take(browser: Browser, url: string, shot: Shot): Promise<void> {
  const context = await browser.newContext({
    viewport: shot.phone ? { width: 390, height: 800 } : { width: 1280, height: 860 },
    deviceScaleFactor: shot.phone ? 1.5 : 1,
    colorScheme: shot.dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await page.goto(`${url}/_emulator/${shot.path}`);
  await page.getByRole('status', { includeHidden: true }).filter({ hasText: /^Live/ }).waitFor({ state: 'attached' });
  await page.waitForTimeout(500);
  await shot.prepare?.(page);
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(OUT, `console-${shot.name}.png`) });
  await context.close();
}

const emulator = createEmulator({ clock: 'virtual', seed: 'screenshots' });
const { url } = await emulator.listen({ port: 0 });
const scenes = await playScenes(emulator);
mkdirSync(OUT, { recursive: true });
const browser = await chromium.launch({
  ...(chromiumPath === undefined ? {} : { executablePath: chromiumPath }),
  args: LAUNCH_ARGS,
});

const shots: Shot[] = [
  { name: 'intern', path: `#/interns/${scenes.asking}` },
  { name: 'intern-dark', path: `#/interns/${scenes.asking}`, dark: true },
  { name: 'intern-phone', path: `#/interns/${scenes.asking}`, phone: true },
  { name: 'requests', path: `#/requests/${scenes.stream}` },
  { name: 'requests-dark', path: `#/requests/${scenes.refused}`, dark: true },
  { name: 'faults', path: '#/faults' },
  {
    name: 'scripts',
    path: '#/scripts/deploy',
    async prepare(page) {
      const editor = page.getByRole('textbox', { name: 'Script deploy' });
      await editor.fill((await editor.inputValue()).replace('"20ms"', '"20 minutes"'));
      await page.getByRole('button', { name: 'Save' }).click();
    },
  },
  {
    name: 'proofs',
    path: '#/proofs',
    async prepare(page) {
      await page.getByLabel('Defect').selectOption('wrong_timestamp');
      await page.getByRole('button', { name: 'Make and explain' }).click();
      await page
        .getByRole('region', { name: 'Explanation' })
        .waitFor()
        .catch(() => {});
    },
  },
  { name: 'state', path: '#/state' },
];
const only = process.argv[3]?.split(',');
for (const shot of shots) if (!only || only.includes(shot.name)) await take(browser, url, shot);
await browser.close();
await emulator.close();
