import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { folderOfFile } from '../../test/folders.js';
import { needs } from '../../test/tools.js';
import { called } from './called.harness.js';

const page = readFileSync(new URL('../../docs/proofs.md', import.meta.url), 'utf8');
const example = page.slice(page.indexOf('## By hand, with openssl'));
const blocks = [...example.matchAll(/```(sh|text)\n([\s\S]*?)```/g)].map(([, kind, text = '']) => ({ kind, text }));
const commands = blocks.filter(({ kind, text }) => kind === 'sh' && !text.startsWith('npx')).map(({ text }) => text);
const printed = blocks.filter(({ kind }) => kind === 'text').map(({ text }) => text.trim());

it('the worked example of docs/proofs.md is all there', () => {
  expect({ commands: commands.length, printed: printed.length }).toEqual({ commands: 4, printed: 2 });
});

describe('the worked example of docs/proofs.md, run', needs('openssl'), () => {
  const folder = folderOfFile('page-');
  let output: string;
  beforeAll(() => {
    output = execFileSync('sh', ['-e', '-c', commands.join('\n')], { cwd: folder, encoding: 'utf8' });
  });

  it('prints what the page says, with openssl alone', () => {
    // openssl base64 -A ends without a newline.
    expect(output.trim()).toBe(printed.join(''));
  });

  it('comes out the same on our command line', async () => {
    const npx = blocks.find(({ text }) => text.startsWith('npx intern-emulator '))?.text ?? '';
    const args = npx.replaceAll('\\\n', ' ').trim().split(/\s+/).slice(2);
    const { status, stdout } = await called(args, { folder });
    expect(status).toBe(0);
    expect(JSON.parse(stdout)['x-svc-invoke-signature-v2']).toBe(printed[0]);
  });
});
