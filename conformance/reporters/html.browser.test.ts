import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchChromium } from '../../test/chromium.js';
import { needs } from '../../test/tools.js';
import { sampleResults } from '../engine/testing/sample-results.js';
import { htmlReport } from './html.js';

describe('the HTML report in a browser', needs('chromium'), () => {
  const folder = mkdtempSync(join(tmpdir(), 'intern-report-'));
  const file = join(folder, 'report.html');
  const errors: string[] = [];
  const requests: string[] = [];
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    writeFileSync(file, htmlReport(sampleResults()));
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

  const shown = () => page.locator('details.check:visible').evaluateAll((rows) => rows.map((row) => row.id));

  test('runs without an error and asks nobody for anything', () => {
    expect(errors).toEqual([]);
    expect(requests).toHaveLength(1);
  });

  test('runs nothing that came from the target', async () => {
    expect(await page.evaluate('window.hit')).toBeUndefined();
    expect(await page.locator('img').count()).toBe(0);
  });

  test('shows verdict, counts and the failures first', async () => {
    expect(await page.locator('h1').textContent()).toBe('does not conform');
    expect((await shown())[0]).toBe('check-chat/fails');
    expect(await page.locator('.shown').textContent()).toBe('6 of 6');
  });

  test('filters by verdict, level and words', async () => {
    await page.uncheck('input[value=pass]');
    expect(await shown()).not.toContain('check-chat/passes');
    await page.selectOption('select[name=level]', 'P');
    expect(await shown()).toEqual(['check-chat/warns']);
    await page.selectOption('select[name=level]', '');
    await page.check('input[value=pass]');
    await page.fill('input[type=search]', 'skips');
    expect(await shown()).toEqual(['check-chat/skips']);
    await page.fill('input[type=search]', '');
    expect(await shown()).toHaveLength(6);
  });

  test('shows a failure with its stream, piece by piece with times', async () => {
    const row = page.locator('[id="check-chat/fails"]');
    await row.locator('> summary').click();
    expect(await row.locator('.piece').count()).toBe(3);
    expect(await row.locator('.piece .time').allInnerTexts()).toEqual(['0.02 s', '30.0 s', '30.0 s']);
    expect(await row.locator('.piece pre').nth(1).textContent()).toContain(': keepalive');
    expect(await row.textContent()).toContain('--path p:0:1');
    expect(await row.locator('.ended').textContent()).toBe('dropped: reset');
  });

  test('draws the stream step by step', async () => {
    await page.locator('[id="check-chat/fails"] > summary').click();
    const steps = page.locator('[id="check-chat/fails"] .steps li');
    expect(await steps.allInnerTexts()).toEqual([
      expect.stringMatching(/^0\.01 s\s+final chunk$/),
      expect.stringMatching(/^30\.0 s\s+comment keepalive$/),
      expect.stringMatching(/^30\.0 s\s+comment :warning::y$/),
      expect.stringMatching(/^30\.0 s\s+an event without its blank line: \| a \|$/),
      expect.stringMatching(/^30\.0 s\s+dropped: reset$/),
    ]);
  });

  test('breaks no word that fits its line', async () => {
    await page.setViewportSize({ width: 400, height: 800 });
    const broken =
      await page.evaluate(`[...document.querySelectorAll('pre, .url, .headers, .title, h1, p, .steps, .groups')]
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

  test('leads from a requirement to its checks', async () => {
    await page.click('[data-requirement="CHAT-1"]');
    expect(await page.inputValue('input[type=search]')).toBe('CHAT-1');
    expect(await shown()).toContain('check-chat/warns');
  });

  test('fits a narrow screen', async () => {
    await page.setViewportSize({ width: 400, height: 800 });
    const over = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    expect(over).toBeLessThanOrEqual(0);
  });
});
