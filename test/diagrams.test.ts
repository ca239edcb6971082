import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { STATUSES } from '../emulator/contract/intern.js';
import { TRANSITIONS } from '../emulator/domain/lifecycle.js';
import { chromiumPath, LAUNCH_ARGS } from './chromium.js';

const ROOT = resolve(import.meta.dirname, '..');
const MERMAID = join(ROOT, 'node_modules/@mermaid-js/tiny/dist/mermaid.tiny.js');

const diagrams = readdirSync(join(ROOT, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .flatMap((name) =>
    [...readFileSync(join(ROOT, 'docs', name), 'utf8').matchAll(/```mermaid\n([\s\S]*?)```/g)].map(
      ([, source = ''], at) => ({ name: `docs/${name}, diagram ${at + 1}`, source }),
    ),
  );

/** What a page of a browser does with a diagram: `ok`, or what Mermaid says is wrong. */
interface Mermaid {
  render(id: string, source: string): Promise<{ svg: string }>;
}

describe.skipIf(chromiumPath === undefined)('Mermaid, as GitHub has it, renders', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: LAUNCH_ARGS });
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

test('the states of docs/concepts.md are those of the transition table', () => {
  const states = diagrams.find(({ source }) => source.startsWith('stateDiagram'))?.source ?? '';
  const drawn = [...states.matchAll(/^ {2}(\S+) --> (\S+?)(?:: .*)?$/gm)].map(([, from = '', to = '']) => [from, to]);
  const known = new Set(
    TRANSITIONS.flatMap(({ from, to }) => from.map((status) => `${status} ${to === 'gone' ? '[*]' : to}`)),
  );
  for (const status of ['stopped', 'queued']) known.add(`[*] ${status}`); // a create, without and with provisioning
  expect(drawn.length).toBeGreaterThan(10);
  expect(drawn.map((edge) => edge.join(' ')).filter((edge) => !known.has(edge))).toEqual([]);
  // The emulator accepts `awaiting_slack_install` as a filter, and comes to it by no transition.
  const named = new Set(drawn.flat());
  expect(STATUSES.filter((status) => !named.has(status))).toEqual(['awaiting_slack_install']);
});
