import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchChromium } from '../../../test/chromium.js';
import { sampleResults } from '../../../test/targets/sample-results.js';
import { needs } from '../../../test/tools.js';
import { REPORTERS } from '../index.js';

describe('the HTML report in a browser', needs('chromium'), () => {
  const folder = mkdtempSync(join(tmpdir(), 'intern-report-'));
  const file = join(folder, 'report.html');
  const errors: string[] = [];
  const requests: string[] = [];
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    writeFileSync(file, REPORTERS.html(sampleResults()));
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    page.on('request', (request) => requests.push(request.url()));
  });
  // Each test looks at the page as it opens, whatever was tried before.
  beforeEach(async () => {
    requests.length = 0;
    await page.setViewportSize({ width: 1200, height: 900 });
    await page.goto(pathToFileURL(file).href);
  });

  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const shown = () =>
    page.locator('.result').evaluateAll((rows) => rows.filter((row) => !row.hidden).map((row) => row.id));
  const fails = () => page.locator('[id="check-chat/fails"]');
  /** The first finding is open as the page opens. */
  const open = () => fails().locator('.talk').waitFor();
  const fold = () => page.locator('#wrong > .group > summary').first().click();

  test('runs without an error, within its policy, and asks nobody for anything', async () => {
    expect(errors).toEqual([]);
    expect(requests).toHaveLength(1);
    const policy = await page.locator('meta[http-equiv]').getAttribute('content');
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+';/);
    expect(policy).not.toContain('unsafe');
  });

  test('runs nothing that came from the target', async () => {
    expect(await page.evaluate('window.hit')).toBeUndefined();
    expect(await page.locator('img').count()).toBe(0);
  });

  test('shows verdict, what was checked, and the groups first', async () => {
    expect(await page.locator('h1').textContent()).toBe('Does not conform');
    expect(await page.locator('.coverage').textContent()).toContain('5 of 6 checked');
    expect((await shown())[0]).toBe('check-chat/fails');
    expect(await page.locator('.shown').textContent()).toBe('6 of 6');
  });

  test('filters by verdict, level and words, and keeps that in the address', async () => {
    await page.uncheck('input[value=pass]');
    expect(await shown()).not.toContain('check-chat/passes');
    await page.selectOption('select[name=level]', 'P');
    expect(await shown()).toEqual(['check-chat/warns']);
    await page.selectOption('select[name=level]', '');
    await page.check('input[value=pass]');
    await page.fill('input[type=search]', 'skips');
    expect(await shown()).toEqual(['check-chat/skips']);
    expect(new URL(page.url()).hash).toBe('#find=skips');
    await page.reload();
    expect(await shown()).toEqual(['check-chat/skips']);
    expect(await page.locator('#wrong .group:visible').count()).toBe(0);
    expect(await page.locator('[id="check-chat/skips"]').isVisible()).toBe(true);
    await page.keyboard.press('/');
    await page.keyboard.press('Escape');
    expect(await shown()).toHaveLength(6);
    expect(new URL(page.url()).hash).toBe('');
  });

  test('an address opens a finding', async () => {
    await page.goto(`${pathToFileURL(file).href}#open=chat%2Ffails`);
    await page.reload();
    await fails().locator('.body').waitFor();
    expect(await fails().textContent()).toContain('--path p:0:1');
  });

  test('goes by the keyboard from group to group, and opens one', async () => {
    await open();
    expect(new URL(page.url()).hash).toBe('');
    await fold();
    expect(await fails().isVisible()).toBe(false);
    await page.reload();
    await open();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    expect(await page.evaluate("document.activeElement.closest('.result').id")).toBe('check-chat/fails');
    await page.keyboard.press('k');
    expect(await page.evaluate('document.activeElement.parentElement.className')).toBe('group');
  });

  test('shows a failure with its stream, piece by piece with times', async () => {
    await open();
    expect(await fails().locator('.piece').count()).toBe(3);
    expect(await fails().locator('.piece .time').allInnerTexts()).toEqual(['0.02 s', '30.0 s', '30.0 s']);
    expect(await fails().locator('.piece pre').nth(1).textContent()).toContain(': keepalive');
    expect(await fails().textContent()).toContain('--path p:0:1');
    expect(await fails().locator('.ended').textContent()).toBe('dropped: reset');
  });

  test('draws the stream step by step', async () => {
    await open();
    expect(await fails().locator('.steps li').allInnerTexts()).toEqual([
      expect.stringMatching(/^0\.01 s\s+final chunk$/),
      expect.stringMatching(/^30\.0 s\s+comment keepalive$/),
      expect.stringMatching(/^30\.0 s\s+comment :warning::y$/),
      expect.stringMatching(/^30\.0 s\s+an event without its blank line: \| a \|$/),
      expect.stringMatching(/^30\.0 s\s+dropped: reset$/),
    ]);
  });

  test('says how the same request was answered elsewhere in the report', async () => {
    await open();
    expect(await fails().textContent()).toContain('The same request elsewhere in this report: POST /interns');
  });

  test('breaks no word that fits its line', async () => {
    await page.setViewportSize({ width: 400, height: 800 });
    await open();
    const broken =
      await page.evaluate(`[...document.querySelectorAll('pre:not(.copy), .url, .headers, .sentence, h1, p, .steps')]
      .filter((element) => element.checkVisibility({ contentVisibilityAuto: true }))
      .flatMap((element) => {
        const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
        const found = [];
        for (let node = walker.nextNode(); node; node = walker.nextNode())
          for (const { 0: word, index } of node.data.matchAll(/[A-Za-z0-9_]{2,20}/g)) {
            const range = document.createRange();
            range.setStart(node, index);
            range.setEnd(node, index + word.length);
            if (range.getClientRects().length > 1) found.push(word);
          }
        return found;
      })`);
    expect(broken).toEqual([]);
  });

  test.each(['light', 'dark'] as const)('%s: axe finds no violation, closed or open', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    const axe = readFileSync(new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
    for (const act of [open, fold]) {
      await act();
      await page.evaluate(axe);
      const violations = await page.evaluate(
        "axe.run(document, { rules: { 'target-size': { enabled: true } } }).then(({violations}) => violations.map(({id, nodes}) => [id, ...nodes.map(({html}) => html.slice(0, 200))]))",
      );
      expect(violations).toEqual([]);
    }
    await page.emulateMedia({ colorScheme: 'light' });
  });

  test('a clean run fits on two screens', async () => {
    const sample = sampleResults();
    const [passed] = sample.checks;
    if (passed === undefined) throw new Error('the sample is empty');
    const ids = sample.requirements.map(({ id }) => id);
    const checks = Array.from({ length: 300 }, (_, at) => ({
      ...passed,
      id: `chat/passes-${at}`,
      requirement: (ids[at % ids.length] ?? 'CHAT-1') as 'CHAT-1',
    }));
    const clean = {
      ...sample,
      verdict: 'pass',
      checks,
      counts: { ...sample.counts, pass: 300 },
      incomplete: [],
    } as const;
    writeFileSync(file, REPORTERS.html(clean as unknown as typeof sample));
    await page.reload();
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThanOrEqual(2 * 900);
    writeFileSync(file, REPORTERS.html(sample));
  });

  test('fits a narrow screen, open too', async () => {
    await page.setViewportSize({ width: 400, height: 800 });
    await open();
    const over = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    expect(over).toBeLessThanOrEqual(0);
  });
});
