// Builds the page at /_emulator/: for the package into dist/console, and in memory for an emulator that runs from its
// sources (tsx, vitest).

import { readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { build } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '..');
const PAGE = join(ROOT, 'emulator/console/page');

/** The ledger as data: the page shows the sentence of the requirement behind a refusal. */
async function requirements() {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, 'conformance/requirements/index.ts')],
    bundle: true,
    format: 'esm',
    write: false,
    logLevel: 'warning',
  });
  const source = Buffer.from(outputFiles[0].contents).toString('base64');
  const { REQUIREMENTS } = await import(`data:text/javascript;base64,${source}`);
  const shown = REQUIREMENTS.map(({ id, level, sentence, published, chosen, where }) => ({
    id,
    level,
    sentence,
    published,
    chosen,
    where,
  }));
  return JSON.stringify(shown);
}

/**
 * The files of the page by name. A file with a hash in its name never changes.
 *
 * @returns {Promise<{ files: Map<string, Uint8Array>, inputs: string[] }>}
 */
export async function buildConsole() {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [join(PAGE, 'main.tsx')],
    outdir: 'console',
    entryNames: '[name]-[hash]',
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome123', 'firefox124', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    tsconfig: join(ROOT, 'emulator/console/tsconfig.json'),
    write: false,
    metafile: true,
    legalComments: 'none',
    logLevel: 'warning',
  });
  const files = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
  const named = (end) => [...files.keys()].find((name) => name.endsWith(end));
  const html = readFileSync(join(PAGE, 'index.html'), 'utf8')
    .replace('main.js', named('.js'))
    .replace('main.css', named('.css'));
  const text = new TextEncoder();
  files.set('index.html', text.encode(html));
  files.set('icon.svg', readFileSync(join(PAGE, 'icon.svg')));
  files.set('requirements.json', text.encode(await requirements()));
  return { files, inputs: Object.keys(metafile.inputs) };
}
