import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { shellBeside } from './beside.js';
import { builtFile } from './built.js';
import { needs } from './tools.js';

const ROOT = resolve(import.meta.dirname, '..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

/** The blocks of a language, in order. */
const blocks = (language: string): string[] =>
  [...README.matchAll(/```(\w+)\n([\s\S]*?)```/g)].flatMap(([, name, text = '']) => (name === language ? [text] : []));

test('the requests of README are answered, in order', needs('curl'), async () => {
  const commands = blocks('sh').filter((text) => text.includes('curl'));
  const { status, output } = await shellBeside({ clock: 'auto' }, commands.join('\n'));
  // Twenty chunks of `slow`, the question, and what follows the answer.
  expect(output.match(/"delta":\{"content"/g)?.length).toBeGreaterThan(20);
  expect(output).toContain('service.provide_input');
  expect(output).toContain('Allowed once.');
  expect(output).toMatch(/"name":"helper".*"status":"(queued|provisioning|running)"/);
  expect(status).toBe(0);
});

test('what a shell does first is said in full by the other commands: they are tried elsewhere', () => {
  // Of the commands without curl: test:pack installs and starts the package, and runs exec and the kit; test:recipes runs
  // the lab and the parser; conformance/cli/cli.socket.test.ts runs the kit against an address, and
  // conformance/cli/judge*.socket.test.ts judges files and listens.
  const rest = blocks('sh').filter((text) => !text.includes('curl'));
  expect(rest.flatMap((text) => text.trim().split('\n')).map((line) => line.replace(/ +#.*/, ''))).toEqual([
    'npm install -D intern-emulator',
    'npx intern-emulator',
    'npx intern-emulator exec -- npm test',
    'npx intern-emulator explore -- npm test',
    'npx intern-conformance',
    'npx intern-conformance https://staging.test/api/v1',
    'npx intern-conformance judge session.har',
    'npx intern-conformance judge --listen 4691 --to https://staging.test/api/v1',
    "npx intern-conformance client --only 'sse-*' -- node node_modules/intern-emulator/examples/lab/adapter.mjs",
    'npm install -D vitest eventsource-parser',
    'npx vitest run parser.test.ts',
  ]);
});

test('the test of README passes', () => {
  const [source = ''] = blocks('js');
  const code = source.replace("'intern-emulator'", `'${builtFile('emulator/index.js')}'`);
  const args = ['--input-type=module', '-e', code];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  expect({ status, stdout, stderr }).toMatchObject({ status: 0, stdout: expect.stringMatching(/pass 1\b/) });
});

test('the parser that README holds to the lab reads events', () => {
  const [source = ''] = blocks('ts');
  const code = `
    import { cases, serve } from '${builtFile('conformance/clients/index.js')}';
    let parse;
    const testParser = (given) => { parse = given; };
    ${source.replace(/^import \{ testParser \}.*$/m, '')}
    const one = cases.find(({ id }) => id === 'sse-data-lines');
    for await (const event of parse(serve(one))) console.log(JSON.stringify(event.data));
    console.log(JSON.stringify(one.expect.events.map(({ data }) => data)));`;
  const args = ['--input-type=module', '-e', code];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.length).toBeGreaterThan(1);
  expect(lines.slice(0, -1)).toEqual(lines.at(-1));
});
