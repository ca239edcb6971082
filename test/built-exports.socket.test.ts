import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { builtFile, commandOf } from './built.js';

const STATIC = /import\s*\{([^}]*)\}\s*from\s*"\.\/([\w-]+\.cjs)"/g;
const DYNAMIC = /\{([^{}]*)\}\s*=\s*await import\("\.\/([\w-]+\.cjs)"\)/g;

/** The names that the files of the package import of packages that are bundled apart. */
function imported(): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>();
  const folder = dirname(builtFile('mcp.cjs'));
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.js'))) {
    const text = readFileSync(builtFile(file), 'utf8');
    for (const [, list = '', from = ''] of [...text.matchAll(STATIC), ...text.matchAll(DYNAMIC)])
      for (const name of list.split(',').map((one) => one.trim().split(/ as |:/)[0] ?? ''))
        names.set(from, (names.get(from) ?? new Set()).add(name));
  }
  return names;
}

test('each entry of the package loads', () => {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    exports: Record<string, { default?: string }>;
  };
  const entries = Object.values(exports).flatMap(({ default: file }) => file?.replace('./dist/', '') ?? []);
  expect(entries).toContain('conformance/index.js');
  const urls = entries.filter((file) => !file.endsWith('vitest.js')).map((file) => pathToFileURL(builtFile(file)).href);
  // In a process of its own: here vitest would transform each of them.
  const names = `for (const url of ${JSON.stringify(urls)}) console.log(Object.keys(await import(url)).length)`;
  const counted = execFileSync(process.execPath, ['--input-type=module', '-e', names], { encoding: 'utf8' });
  expect(counted.trim().split('\n')).toEqual(urls.map(() => expect.stringMatching(/^[1-9]/)));
  for (const name of ['intern-emulator', 'intern-conformance'] as const)
    expect(execFileSync(process.execPath, [commandOf(name), '--version'], { encoding: 'utf8' })).toMatch(/^\d/);
});

test('a package that is bundled apart exports every name that the built package imports of it', async () => {
  const names = imported();
  expect([...names.keys()].sort()).toEqual(['mcp.cjs', 'undici.cjs']);
  expect([...(names.get('mcp.cjs') ?? [])]).toContain('createMcpHandler');
  for (const [file, wanted] of names) {
    const exported: object = await import(pathToFileURL(builtFile(file)).href);
    expect(
      [...wanted].filter((name) => !(name in exported)),
      file,
    ).toEqual([]);
  }
});

test('a start reads two files beside its entry, and none of the rules by which texts are measured', () => {
  const imports = (file: string, by: RegExp) =>
    [...readFileSync(builtFile(file), 'utf8').matchAll(by)].map(([, name]) => name);
  const FROM = /(?:^|[;}])(?:import|export)\b[^;]*?\bfrom ?"\.\.?\/([^"]+)"/gm;
  const ON_DEMAND = /\bimport\("\.\.?\/([^"]+)"\)/g;
  const ENTRY = 'bin/intern-emulator.js';
  expect(imports(ENTRY, FROM)).toEqual([]);
  expect(imports(ENTRY, ON_DEMAND)).toEqual(['shared.js']);
  expect(imports('shared.js', ON_DEMAND)).toContain('start.js');
  expect(new Set(['shared.js', 'start.js'].flatMap((file) => imports(file, FROM)))).toEqual(new Set(['shared.js']));
  expect(readFileSync(builtFile('shared.js'), 'utf8')).not.toContain('Segmenter');
});
