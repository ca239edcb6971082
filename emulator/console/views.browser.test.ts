import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { playScenes } from '../../scripts/scenes.js';
import { inBrowser } from '../testing/browser.harness.js';
import { exploredFile } from './explored.harness.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core finds wrong with the page in its present state, by these `rules` or by all. */
async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Through the debugger, which the page's policy does not bind: the page itself could load nothing.
  await page.evaluate(AXE);
  const runOnly = rules === undefined ? '' : `, runOnly: ${JSON.stringify(rules)}`;
  const run = `axe.run(document, { resultTypes: ['violations']${runOnly} })
    .then((found) => found.violations.flatMap((each) => each.nodes.map((node) => each.id + ': ' + node.html)))`;
  return (await page.evaluate(run)) as string[];
}

const VIEWS = [
  '#/interns',
  '#/requests',
  '#/faults',
  '#/scripts',
  '#/scripts/new',
  '#/proofs',
  '#/state',
  '#/vault',
  '#/lab',
  '#/explore',
  '#/requirements/CHAT-7',
];

inBrowser('the console, for everybody', (open) => {
  test.each([
    ['light', 'light', 1280],
    ['dark', 'dark', 1280],
    ['on a phone', 'light', 390],
  ] as const)('no view has anything that axe finds wrong: %s', async (_, colorScheme, width) => {
    const { page, emulator, go } = await open({
      context: { colorScheme, viewport: { width, height: 800 }, reducedMotion: 'reduce' },
    });
    const scenes = await playScenes(emulator);
    const started = await emulator.fetch('/_emulator/lab/runs', { method: 'POST', body: '{"case":"sse-one-event"}' });
    const { url } = (await started.json()) as { url: string };
    await (await fetch(url, { method: 'POST', body: '{}' })).text();
    const places = [
      ...VIEWS,
      `#/interns/${scenes.asking}`,
      `#/requests/${scenes.stream}`,
      `#/requests/${scenes.refused}`,
    ];
    for (const place of places) {
      await go(place);
      await page.getByRole('main').getByRole('heading').first().waitFor();
      await page.locator('.connection.live').waitFor({ state: 'attached' });
      if (place === '#/explore') {
        await page.getByLabel('Report or schedule').setInputFiles(exploredFile());
        await page.getByRole('list', { name: 'Findings' }).waitFor();
      }
      // Each of its hundreds of rows is like the others.
      if (place === '#/lab') await page.getByLabel('Search').fill('sse-one');
      // A colour scheme changes only colours.
      expect(
        await violations(page, colorScheme === 'dark' ? ['color-contrast', 'link-in-text-block'] : undefined),
        place,
      ).toEqual([]);
      const over = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      expect(await page.evaluate(over), `${place} fits`).toBeLessThanOrEqual(0);
    }
  });

  test('dialogs too, which close on Escape and give the focus back', async () => {
    const { page, go } = await open();
    await go('#/interns');
    await page.getByRole('button', { name: 'New intern' }).click();
    const dialog = page.getByRole('dialog', { name: 'New intern' });
    await dialog.waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toBe('New intern');
  });
});
