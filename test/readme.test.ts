import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { environmentOf } from '../emulator/cli/exec.js';
import { createEmulator, type Emulator } from '../emulator/index.js';

const ROOT = resolve(import.meta.dirname, '..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

/** The blocks of a language, in order. */
const blocks = (language: string): string[] =>
  [...README.matchAll(/```(\w+)\n([\s\S]*?)```/g)].flatMap(([, name, text = '']) => (name === language ? [text] : []));

const block = (language: string, holding: string): string => {
  const found = blocks(language).find((text) => text.includes(holding));
  if (found === undefined) throw new Error(`README has no ${language} block with ${holding}`);
  return found;
};

let emulator: Emulator | undefined;
afterEach(async () => emulator?.close());

/** Runs something beside an emulator, as `exec` does. Asynchronous, for the emulator is in this process. */
async function beside(options: Parameters<typeof createEmulator>[0], file: string, args: readonly string[]) {
  emulator = createEmulator(options);
  const at = await emulator.listen({ port: 0 });
  const env = { ...process.env, ...environmentOf(emulator.target, at) };
  const child = spawn(file, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const status = await new Promise<number | null>((done) => child.once('close', done));
  return { status, output, at };
}

const module = (source: string) => ['--input-type=module', '-e', source];

test('the example with openai says Hello', async () => {
  const { status, output } = await beside({}, process.execPath, module(block('js', "from 'openai'")));
  expect({ status, output }).toEqual({ status: 0, output: expect.stringContaining('Hello') });
});

test('the example with @openrouter/sdk lists the intern', async () => {
  const source = module(block('js', '@openrouter/sdk'));
  const { status, output } = await beside({ profile: 'openrouter' }, process.execPath, source);
  expect({ status, output }).toEqual({ status: 0, output: expect.stringContaining('first-intern: running') });
});

test('the first request, and those of the control interface, are answered', async () => {
  const local = `${block('sh', 'chat/completions').trim()}\n${block('sh', '_emulator/clock')}`;
  const script = local.replaceAll('http://127.0.0.1:4683', '$EMULATOR').replaceAll('curl ', 'curl -sS --fail ');
  const { status, output } = await beside({}, 'sh', ['-ec', `EMULATOR=\${INTERN_BASE_URL%/api/v1}\n${script}`]);
  expect(output).toContain('data: [DONE]');
  expect(output).toContain('"base_url"');
  expect(status).toBe(0);
});

test('the example in process runs', () => {
  const source = block('js', "from 'intern-emulator'").replace("'intern-emulator'", "'./emulator/index.js'");
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', ...module(source)], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '200\n', stderr: '' });
});

test('every file that README points to is there', () => {
  const links = [...README.matchAll(/\]\(([^)#:]+)\)/g)].map(([, link = '']) => link);
  expect(links.length).toBeGreaterThan(2);
  expect(links.filter((link) => !existsSync(join(ROOT, link)))).toEqual([]);
});
