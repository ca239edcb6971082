import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { expect, test } from 'vitest';
import { explore, type Program } from '../conformance/explore/index.js';
import { readExploreSettings } from '../emulator/cli/explore/flags.js';
import { main } from '../emulator/cli/main.js';
import { block } from './blocks.js';
import { folderOfFile } from './folders.js';

const PAGE = 'docs/explore.md';
const folder = folderOfFile('explore-page-');

/** The app of the page, explored as the page says, but where its streams are cut alone. */
async function explored(source: string) {
  writeFileSync(join(folder, 'say.mjs'), source);
  const out: string[] = [];
  const args = block(PAGE, 'bash').trim().split(' ').slice(2, 4);
  const status = await main([...args.slice(0, 1), '--only', 'cut', '--', 'node', 'say.mjs'], {
    out: (text) => out.push(text),
    err: () => {},
    env: process.env,
    folder,
    colors: false,
    exit: () => {},
  });
  return { status, out: out.join('').replaceAll(`${folder}/`, '') };
}

const app = block(PAGE, 'js');

test('the app of docs/explore.md is found out as the page shows, and mended as it says', async () => {
  const [, shown = ''] = /^```\n(✗[\s\S]*?)^```$/m.exec(readFileSync(PAGE, 'utf8')) ?? [];
  const found = await explored(app);
  // The page shows a whole run: more brings the finding about than cuts.
  const but = (text: string) => text.replace(/\d+ schedules bring it about: [^.]*/, '… schedules bring it about');
  expect(but(found.out)).toContain(but(shown));
  expect(shown).toContain('✗ once');
  expect(found.status).toBe(1);

  const [limit = ''] = /signal: AbortSignal\.timeout\([\d_]+\)/.exec(block(PAGE, 'js', 1)) ?? [];
  const mended = app
    .replace("method: 'POST',", `method: 'POST', ${limit},`)
    .replace('if (tries > 1) return say(text, tries - 1);', '');
  expect(mended.length).not.toBe(app.length);
  expect(await explored(mended)).toMatchObject({ status: 0, out: expect.stringContaining('nothing found') });
});

test('the laws of docs/explore.md are read', async () => {
  writeFileSync(join(folder, 'laws.mjs'), block(PAGE, 'js', 2));
  const { options } = await readExploreSettings({ law: 'laws.mjs' }, folder);
  expect(options.laws).toMatchObject({ 'never approves twice': expect.any(Function) });
});

test('the test of docs/explore.md explores its agent', async () => {
  const { code } = await transform(block(PAGE, 'ts').replace(/^import .*$/m, ''), { loader: 'ts' });
  const given: [string, Program][] = [];
  class Agent {
    constructor(private readonly at: { baseUrl: string; apiKey: string; fetch: typeof fetch }) {}
    async say(text: string): Promise<string> {
      const { baseUrl, apiKey, fetch } = this.at;
      const list = await fetch(`${baseUrl}/interns`, { headers: { authorization: `Bearer ${apiKey}` } });
      return `${text}: ${await list.text()}`;
    }
  }
  new Function('exploreTest', 'Agent', code)((name: string, program: Program) => given.push([name, program]), Agent);
  const [[name, program] = ['', () => {}]] = given;
  const { counts } = await explore(program, { only: 'harmless' });
  expect(name).toBe('my agent');
  expect(counts).toMatchObject({ breach: 0 });
  expect(counts.survived).toBeGreaterThan(3);
});
