import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runClient } from '../../conformance/clients/run-client.js';
import { systemHost } from '../../conformance/probe/time.js';
import type { ClientCase } from '../../emulator/contract/client-case.js';
import { cases } from '../../emulator/lab/cases.js';
import { needs, type ToolName, tool } from '../../test/tools.js';

type Command = readonly [string, ...string[]];

/** The adapters that are shown in docs/lab.md, each through the cases of its layers (LAB-11). */
interface Row {
  readonly name: string;
  readonly needs?: readonly ToolName[];
  readonly command: () => Command;
  readonly only: RegExp;
  /** The known failures of this version of the client; any difference is news. */
  readonly fails: readonly string[];
}

const HERE = import.meta.dirname;
/** Where those in TypeScript are compiled to: a process that compiles itself takes five times as long to start. */
const built = join(HERE, '../../.tmp', `adapters-${process.pid}`);
beforeAll(async () => {
  const entryPoints = ['fetch', 'openai', 'openrouter'].map((name) => join(HERE, `${name}.ts`));
  await build({ entryPoints, outdir: built, bundle: true, packages: 'external', format: 'esm', target: 'node20' });
});
afterAll(() => rmSync(built, { recursive: true, force: true }));

const typescript = (name: string) => (): Command => [process.execPath, join(built, `${name}.js`)];
const python = (file: string) => ({
  needs: ['python'] as const,
  command: (): Command => [tool('python'), `clients/adapters/${file}`],
});

const ROWS: readonly Row[] = [
  {
    name: 'Python, event streams',
    ...python('python.py'),
    only: /^(sse|http)-|^(idle-in-character|idle-comments-sse|abort-before-sse|abort-silent-sse|coding-deflate-prompt)$/,
    fails: [],
  },
  { name: 'Python, signing', ...python('python_signing.py'), only: /^sign-/, fails: [] },
  {
    name: 'fetch and eventsource-parser',
    command: typescript('fetch'),
    only: /^sse-|^(idle-keepalive-data|idle-in-arguments|abort-silent|coding-gzip-no-trailer|h2-(events|rst-cancel))$/,
    fails: [
      'coding-gzip-no-trailer',
      'sse-comment-after-id',
      'sse-cr',
      'sse-cr-prompt',
      'sse-id-no-data',
      'sse-lf-cr',
      'sse-mixed-prompt',
    ],
  },
  {
    name: 'openai',
    command: typescript('openai'),
    only: /^chat-(text|usage|tool-(pieces|interleaved|two-ids)|run-ended)/,
    fails: ['chat-tool-two-ids'],
  },
  {
    name: '@openrouter/sdk',
    command: typescript('openrouter'),
    only: /^chat-(text|usage-final|keepalive|usage-null)/,
    fails: ['chat-usage-null'],
  },
];

/** A busy process is waited for. A wrong client may show it by being late, and is not. */
const PATIENCE = { right: 5, wrong: 1 };

const run = (command: Command, some: readonly ClientCase[], patience: number) =>
  runClient({
    command,
    cases: some,
    cuts: 'none',
    patience,
    seed: 'test',
    host: systemHost,
    signal: new AbortController().signal,
    err: () => {},
  });

// How many at a time: most of it is waiting.
for (const row of ROWS) {
  test.concurrent(
    `${row.name} fails what it is known to fail, and nothing else`,
    needs(...(row.needs ?? [])),
    async () => {
      const { command, only, fails } = row;
      const mine = cases.filter(({ id }) => only.test(id));
      const isWrong = ({ id }: ClientCase) => fails.includes(id);
      const right = await run(
        command(),
        mine.filter((one) => !isWrong(one)),
        PATIENCE.right,
      );
      const wrong = await run(command(), mine.filter(isWrong), PATIENCE.wrong);
      expect(right.checks.length).toBeGreaterThan(0);
      expect(right.checks.filter(({ verdict }) => !/^(pass|skip)/.test(verdict))).toEqual([]);
      expect(right.checks.some(({ verdict }) => verdict === 'pass')).toBe(true);
      expect(wrong.checks.map(({ id, verdict }) => `${id}: ${verdict}`)).toEqual(
        wrong.checks.map(({ id }) => `${id}: fail`),
      );
      expect(wrong.checks).toHaveLength(fails.length);
    },
  );
}
