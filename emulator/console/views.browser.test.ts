import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { playScenes } from '../../scripts/scenes.js';
import { inBrowser } from '../testing/browser.harness.js';
import { exploredFile } from './explored.harness.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The findings of axe-core in the page's present state, by these `rules` or by all. */
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
    const { createTraffic } = await import('../../conformance/cli/checks.js');
    const { page, emulator, go } = await open({
      emulator: { judge: createTraffic },
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
      await page
        .getByRole('status', { includeHidden: true })
        .filter({ hasText: /^Live/ })
        .waitFor({ state: 'attached' });
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
      // Beside each other, the list and its detail scroll, and nothing around them.
      const around = "document.querySelector('.split') ? view.scrollHeight - view.clientHeight : 0";
      expect(await page.evaluate(around), `${place} scrolls within`).toBe(0);
    }
  });

  test('six places, which on a phone do not touch and are wide enough for a thumb', async () => {
    const { page, url } = await open({ context: { viewport: { width: 360, height: 740 } } });
    const places = page.getByRole('navigation', { name: 'Views' }).getByRole('link');
    await expect
      .poll(() => places.allInnerTexts())
      .toEqual(['Interns', 'Requests', 'Scripts', 'State', 'Lab', 'Explore']);
    const boxes = (await Promise.all((await places.all()).map((place) => place.boundingBox()))).map((box) => {
      if (box === null) throw new Error('a place is not shown');
      return box;
    });
    for (const [index, { x, width, height }] of boxes.entries()) {
      expect([width >= 44, height >= 44]).toEqual([true, true]);
      const next = boxes[index + 1];
      if (next !== undefined) expect(next.x - (x + width)).toBeGreaterThanOrEqual(4);
    }
    const buttons = await Promise.all((await page.locator('.clock-bar .button').all()).map((one) => one.boundingBox()));
    const lowest = Math.max(...buttons.map((box) => box?.y ?? Number.NaN));
    const first = Math.min(...buttons.map((box) => (box?.y ?? Number.NaN) + (box?.height ?? 0)));
    expect(lowest, 'the clock bar has one row').toBeLessThan(first);
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(await page.locator('.address .mono').innerHTML()).toBe(`${url}/<wbr>api/<wbr>v1<wbr>`);
    for (const place of ['Faults', 'Vault', 'Proofs']) {
      await page.getByRole('link', { name: 'State', exact: true }).click();
      await page.getByRole('navigation', { name: 'Of the state' }).getByRole('link', { name: place }).click();
      await page.getByRole('heading', { name: place, level: 2, exact: true }).waitFor();
    }
  });

  test('colours are chosen, and kept for the next visit', async () => {
    const { page } = await open({ context: { colorScheme: 'light' } });
    const colour = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await colour();
    await page.getByRole('button', { name: 'Colours: as the system' }).click();
    await page.getByRole('button', { name: 'Colours: light' }).click();
    await page.getByRole('button', { name: 'Colours: dark' }).waitFor();
    const dark = await colour();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.getByRole('button', { name: 'Colours: dark' }).waitFor();
    expect(await colour()).toBe(dark);
    await page.getByRole('button', { name: 'Colours: dark' }).click();
    expect(await colour()).toBe(light);
  });

  test('an emulator that is gone is said in words', async () => {
    const { page, emulator } = await open({ view: '#/faults' });
    await page.getByText('All goes well').waitFor();
    await emulator.close();
    await page.getByRole('button', { name: 'Add fault' }).click();
    await page
      .getByRole('log', { name: 'Notices' })
      .getByText(/^The emulator does not answer/)
      .waitFor();
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
