import { resolve } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from './chromium.js';
import { diagrams } from './diagrams.js';
import { needs } from './tools.js';

const MERMAID = resolve(import.meta.dirname, '../node_modules/@mermaid-js/tiny/dist/mermaid.tiny.js');

/** How a page of a browser renders a diagram: `ok`, or Mermaid's error. */
interface Mermaid {
  render(id: string, source: string): Promise<{ svg: string }>;
}

// Those of docs/concepts.md and docs/lifecycle-api.md, and of every other page that has any.
describe('Mermaid, as GitHub has it, renders', needs('chromium'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  const render = async (source: string): Promise<string> => {
    const page = await browser.newPage();
    try {
      await page.addScriptTag({ path: MERMAID });
      return await page.evaluate(async (text) => {
        const { mermaid } = globalThis as unknown as { mermaid: Mermaid };
        return mermaid.render('diagram', text).then(
          ({ svg }) => svg,
          (error: Error) => `refused: ${error.message}`,
        );
      }, source);
    } finally {
      await page.close();
    }
  };

  test.each(diagrams)('$name', async ({ source }) => {
    expect(await render(source)).toMatch(/^<svg[\s\S]*<\/svg>$/);
  });

  test('no diagram with a mistake', async () => {
    expect(await render('sequenceDiagram\n  A->>>B: hello')).toMatch(/^refused: Parse error/);
  });
});
