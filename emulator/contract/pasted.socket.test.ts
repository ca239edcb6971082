import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { folderOfTest } from '../../test/folders.js';
import { runs } from '../../test/same-draws.js';
import { needs, tool } from '../../test/tools.js';
import { commandLine, curlParts, folded, shellWord } from './pasted.js';

/** Types what comes over standard input into a program at a terminal of its own, as fast as it is read. */
const TERMINAL = `
import os, pty, select, sys
typed = sys.stdin.buffer.read()
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
os.set_blocking(terminal, False)
shown, at, ready = b'', 0, False
while True:
    readable, writable, _ = select.select([terminal], [terminal] if ready and at < len(typed) else [], [], 120)
    if not readable and not writable:
        sys.exit('the shell waits: ' + repr(shown[-400:]))
    if readable:
        try:
            some = os.read(terminal, 65536)
        except OSError:
            break
        if some == b'':
            break
        shown = (shown + some)[-4096:]
        ready = True
    if writable:
        at += os.write(terminal, typed[at:at + 1024])
`;

const END = 'end-of-a-word-0f9c';
const CALL = 'end-of-a-call-0f9c';

/** The arguments that a shell at a terminal gives to \`curl\` for commands that are typed into it. */
async function pasted(
  shell: readonly string[],
  commands: readonly string[],
): Promise<{ given: string[][]; left: string[] }> {
  const folder = folderOfTest('pasted-');
  const [program = '', ...words] = shell;
  const python = spawn(tool('python'), ['-c', TERMINAL, program, ...words], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      HISTFILE: '/dev/null',
      TERM: 'xterm',
      LC_ALL: 'C.UTF-8',
      PS1: '> ',
      PS2: '',
    },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let said = '';
  python.stderr.on('data', (data) => {
    said += data;
  });
  const stub = `curl() { for word in "$@"; do printf '%s' "$word" ${END} >>heard; done; case "$*" in *@-) cat >>heard; printf '%s' ${END} >>heard;; esac; printf '%s' ${CALL} >>heard; }`;
  python.stdin.end([stub, ...commands, 'exit', ''].join('\r').replaceAll('\n', '\r'));
  await new Promise((resolve) => python.once('close', resolve));
  expect(said).toBe('');
  const heard = readFileSync(join(folder, 'heard'), 'utf8');
  const left = readdirSync(folder).filter((name) => name !== 'heard');
  const calls = heard.split(`${END}${CALL}`).slice(0, -1);
  return { given: calls.map((call) => call.split(END)), left };
}

const RUNS = 'touch pwned';
/** Characters that end a quote, a line or a paste, and those that a shell or a terminal acts on. */
const ODD = [
  '\'|"|`|\\|\n|\r|\t|!!|!|^a^b|%s|%|-|=ls|~|$HOME|##[|\n!!\n|\0|\ud800|é|中文|😀|\u2028|{"a": 1}'.split('|'),
  '\x03|\x1a|\x1c|\x7f|\x85|\x9b31m|\u202e'.split('|'),
  `\x03\n${RUNS}\n|\x03\r${RUNS}\r|\x04\n${RUNS}\n|\x15${RUNS}\n|\x1b[201~\r${RUNS}\r|\x1b#${RUNS}\r`.split('|'),
  `';${RUNS};'|$(${RUNS})|\`${RUNS}\`|'\n${RUNS}\n|\\'\n${RUNS}\n#`.split('|'),
].flat();
const LONG = [`${'x'.repeat(4_090)}'\n${RUNS}\n`, "'".repeat(600)];
const hostile = fc
  .array(
    fc.oneof(
      { weight: 40, arbitrary: fc.constantFrom(...ODD) },
      { weight: 20, arbitrary: fc.integer({ min: 0, max: 0xa0 }).map((code) => String.fromCharCode(code)) },
      { weight: 20, arbitrary: fc.string() },
      { weight: 1, arbitrary: fc.constantFrom(...LONG) },
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => parts.join(''))
  .filter((text) => text !== '');

const SHELLS = [
  ['sh', ['sh', '-i'], needs('python')],
  ['bash', ['bash', '--norc', '-i'], needs('python', 'bash')],
  ['zsh', ['zsh', '-f', '-i'], needs('python', 'zsh')],
] as const;

for (const [name, shell, needed] of SHELLS)
  test(`what may be pasted into ${name} is taken as it stands: no body runs anything`, {
    ...needed,
    timeout: 300_000,
  }, async () => {
    const bodies = fc.sample(hostile, { numRuns: runs(400), seed: 32 });
    const sent = bodies.map((body, at) => ({
      method: 'POST',
      url: `http://x/${at}`,
      // No argument of a program holds a NUL.
      headers: { 'x-body': at % 2 ? 'none' : body.replaceAll('\0', '') },
      body,
    }));
    const commands = sent.map((one, at) => (at % 2 ? curlParts(one).join(' \\\n  ') : folded(curlParts(one))));
    const { given, left } = await pasted(shell, commands);
    expect(left).toEqual([]);
    const formed = (text: string) => Buffer.from(text).toString();
    const wanted = sent.map(({ url, headers, body }) => {
      const data = [
        ['--data-raw', formed(body)],
        ['--data-binary', '@-', formed(body)],
      ];
      return data.map((last) => [
        '-X',
        'POST',
        url,
        '-H',
        `x-body: ${formed(headers['x-body'])}`,
        '-H',
        'content-type:',
        ...last,
      ]);
    });
    expect(given.length).toBe(wanted.length);
    for (const [at, words] of given.entries()) expect(wanted[at]).toContainEqual(words);
  });

test('no character that a terminal acts on stands in a command, and no line is longer than a terminal takes', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      for (const command of [
        shellWord(text),
        commandLine(['curl', text, text]),
        folded(curlParts({ method: 'PUT', url: text, headers: { a: text }, body: text })),
      ]) {
        expect(command).not.toMatch(/[^\P{Cc}\n]|[\p{Bidi_Control}\u2028\u2029]|##\[/u);
        for (const line of command.split('\n')) expect(Buffer.byteLength(line)).toBeLessThan(4_000);
      }
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ['plain', 'a-b/c:1', 'a-b/c:1'],
  ['empty', '', "''"],
  ['words', "it's here", `'it'\\''s here'`],
  ['an expansion of zsh', '=ls', "'=ls'"],
  ['control characters', 'a\x03\n', '"$(printf \'a\\003\')\n"'],
])('a word: %s', (_, text, word) => {
  expect(shellWord(text)).toBe(word);
});
