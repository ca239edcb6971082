// Makes docs/images/*.png: the main views of the console over an emulator that has something to show, light and dark
// and as wide as a phone, and the kit's page about a deployment that breaks a rule. Run by `npm run screenshots`; needs
// Chromium.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { mutants } from '../conformance/mutants/index.js';
import { deployed } from '../conformance/mutants/live.js';
import { REPORTERS } from '../conformance/report/index.js';
import { runChecks as run } from '../conformance/run/runner.js';
import { checks } from '../conformance/scenarios/index.js';
import { createEmulator } from '../emulator/index.js';
import { launchChromium } from '../test/chromium.js';
import { playScenes } from './scenes.js';

const OUT = resolve(import.meta.dirname, '..', process.argv[2] ?? 'docs/images');

interface Shot {
  name: string;
  path: string;
  dark?: boolean;
  phone?: boolean;
  /** The steps before the picture is taken. */
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

/** The page of a run against a deployment that sends a stream without its final chunk, with that finding open. */
async function takeReport(browser: Browser): Promise<void> {
  const mutant = mutants.find(({ name }) => name === 'stream-without-final-chunk');
  if (mutant === undefined) throw new Error('there is no such mutant');
  const { driver, host, close } = await deployed(mutant, 'screenshots');
  const folder = mkdtempSync(join(tmpdir(), 'report-'));
  const file = join(folder, 'report.html');
  try {
    writeFileSync(file, REPORTERS.html(await run({ driver, host, checks, runs: 1, seed: 'screenshots', rate: 0 })));
  } finally {
    await close();
  }
  const page = await browser.newPage({ viewport: { width: 1280, height: 1330 } });
  await page.goto(pathToFileURL(file).href);
  await page.screenshot({ path: join(OUT, 'report.png') });
  await page.close();
  rmSync(folder, { recursive: true });
}

const emulator = createEmulator({ clock: 'virtual', seed: 'screenshots' });
const { url } = await emulator.listen({ port: 0 });
const scenes = await playScenes(emulator);
mkdirSync(OUT, { recursive: true });
const browser = await launchChromium();

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
  {
    name: 'lab',
    path: '#/lab',
    async prepare(page) {
      await page.getByLabel('Search').fill('crlf');
      await page.getByRole('button', { name: /^Choose these/ }).click();
      await page.getByLabel("The adapter's command").fill('node adapter.mjs');
      const given = { method: 'POST', body: '{"case": "sse-crlf-split"}' };
      const started = await emulator.fetch('/_emulator/lab/runs', given);
      await (await fetch(((await started.json()) as { url: string }).url, { method: 'POST', body: '{}' })).text();
      await page.getByText('POST /chat/completions').waitFor();
      await page.getByLabel('Group').scrollIntoViewIfNeeded();
    },
  },
];
const only = process.argv[3]?.split(',');
for (const shot of shots) if (!only || only.includes(shot.name)) await take(browser, url, shot);
if (!only || only.includes('report')) await takeReport(browser);
await browser.close();
await emulator.close();
