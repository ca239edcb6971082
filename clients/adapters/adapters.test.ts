import { describe, expect, test } from 'vitest';
import { runClient } from '../../conformance/clients/run-client.js';
import { systemHost } from '../../conformance/framework/time.js';
import { cases } from '../../emulator/lab/cases.js';

/** The adapters that are shown in docs/lab.md, each through the cases of its layers (LAB-11). */
const typescript = (file: string) => [process.execPath, '--import', 'tsx', `clients/adapters/${file}`] as const;

interface Row {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly only: RegExp;
  /** What this version of the client is known to fail; anything else, more or less, is news. */
  readonly fails: readonly string[];
}

const ROWS: readonly Row[] = [
  {
    name: 'Python, event streams',
    command: ['python3', 'clients/adapters/python.py'],
    only: /^(sse|http)-/,
    fails: [],
  },
  { name: 'Python, signing', command: ['python3', 'clients/adapters/python_signing.py'], only: /^sign-/, fails: [] },
  {
    name: 'fetch and eventsource-parser',
    command: typescript('fetch.ts'),
    only: /^sse-/,
    fails: ['sse-comment-after-id', 'sse-cr', 'sse-cr-prompt', 'sse-id-no-data', 'sse-lf-cr', 'sse-mixed-prompt'],
  },
  {
    name: 'openai',
    command: typescript('openai.ts'),
    only: /^chat-(text|usage|tool-(pieces|interleaved|two-ids)|run-ended)/,
    fails: ['chat-tool-two-ids'],
  },
  {
    name: '@openrouter/sdk',
    command: typescript('openrouter.ts'),
    only: /^chat-(text|usage-final|keepalive|usage-null)/,
    fails: ['chat-usage-null'],
  },
];

describe.each(ROWS)('$name', ({ command, only, fails }) => {
  test('fails what it is known to fail, and nothing else', async () => {
    const results = await runClient({
      command,
      cases: cases.filter(({ id }) => only.test(id)),
      cuts: 'none',
      patience: 5,
      seed: 'test',
      host: systemHost,
      signal: new AbortController().signal,
      err: () => {},
    });
    const failed = results.checks.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
    expect(failed.sort()).toEqual(fails);
    expect(results.checks.filter(({ verdict }) => verdict === 'error')).toEqual([]);
    expect(results.checks.some(({ verdict }) => verdict === 'pass')).toBe(true);
  });
});
