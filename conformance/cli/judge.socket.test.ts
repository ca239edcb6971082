import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderOfFile } from '../../test/folders.js';
import { judged } from '../judge/judged.js';
import { called } from './called.harness.js';

const folder = folderOfFile('judge-cli-');

const KEY = 'sk-very-secret-0000000000';

/** A HAR of reads that were answered with what is no list, and say the key that they were sent with. */
const har = (times: number, { path = '/api/v1/interns', status = 200, answer = { data: KEY } as unknown } = {}) => ({
  log: {
    entries: Array.from({ length: times }, (_, at) => ({
      startedDateTime: new Date(1_767_225_600_000 + at * 60_000).toISOString(),
      time: 10,
      request: {
        method: 'GET',
        url: `https://staging.test${path}`,
        headers: [{ name: 'Authorization', value: `Bearer ${KEY}` }],
      },
      response: {
        status,
        headers: [{ name: 'Content-Type', value: 'application/json' }],
        content: { text: JSON.stringify(answer) },
      },
    })),
  },
});

async function judge(name: string, content: unknown, ...flags: string[]) {
  const file = join(folder, name);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return called(['judge', file, ...flags]);
}

test('a HAR that breaks rules fails, with a row for each rule, and shows no credential', async () => {
  const report = join(folder, 'report.json');
  const { exit, out, err } = await judge(
    'wrong.har',
    har(2),
    '--report',
    `json=${report}`,
    '--report',
    'tty',
    '--fail-on',
    'warn',
  );
  expect(exit).toBe(1);
  const text = readFileSync(report, 'utf8');
  const { checks } = JSON.parse(text) as { checks: { id: string; verdict: string; judged: number }[] };
  const row = (id: string) => checks.find((check) => check.id === id);
  expect(row('LIST-3/form')).toMatchObject({ judged: 2, requirement: 'LIST-3', level: expect.any(String) });
  expect(['fail', 'warn']).toContain(row('LIST-3/form')?.verdict);
  expect(row('CREATE-1/as-asked')).toMatchObject({ verdict: 'skip', judged: 0 });
  expect(out + err + text).not.toContain(KEY);
});

test.each([
  ['cut.har', JSON.stringify(har(2)).slice(0, 300), /^intern-conformance: .*cut\.har: .*cut or broken\n$/],
  ['empty.har', '', /^intern-conformance: .*empty\.har: the file is empty\n$/],
  ['other.json', '{"a":1}', /^intern-conformance: .*other\.json: expected a HAR .*\n$/],
  ['entry.har', '{"log":{"entries":[7]}}', /^intern-conformance: .*entry\.har: log\.entries\[0\]: .*\n$/],
])('%s is one line, and exit 2', async (name, content, line) => {
  const { exit, err } = await judge(name, content);
  expect(err).toMatch(line);
  expect(exit).toBe(2);
});

test.runIf(process.platform !== 'win32')('a file that leads to a device is one line, and exit 2', async () => {
  const file = join(folder, 'endless.har');
  symlinkSync('/dev/zero', file);
  expect(await called(['judge', file])).toEqual({
    exit: 2,
    out: '',
    err: `intern-conformance: ${file} cannot be read: it is no file, but a device or a pipe\n`,
  });
});

test.each([
  ['none.har', { log: { entries: [] } }],
  ['others.har', har(2, { path: '/index.html' })],
  ['lost.har', har(2, { status: 0 })],
])('where nothing can be judged it exits 3: %s', async (name, content) => {
  expect((await judge(name, content)).exit).toBe(3);
});

test('Ctrl-C ends the judgement of a file, which is no pass', async () => {
  const right = har(1_000, { answer: { data: [], has_more: false } });
  const over = new AbortController();
  const file = join(folder, 'interrupted.har');
  writeFileSync(file, JSON.stringify(right));
  setImmediate(() => over.abort());
  const { exit, out } = await called(['judge', file, '--report', 'tty'], { signal: over.signal });
  expect(exit).toBe(3);
  expect(out).toContain('interrupted');
});

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/judge.md'), 'utf8');
const blocks = (language: string) =>
  [...PAGE.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, name, text = '']) =>
    name === language ? [text] : [],
  );

test('the commands of docs/judge.md judge a file', async () => {
  const lines = blocks('sh').flatMap((text) => text.trim().split('\n'));
  const commands = lines.filter(
    (line) => line.startsWith('npx intern-conformance judge ') && !line.includes('--listen'),
  );
  expect(commands).toHaveLength(2);
  for (const command of commands) {
    const flags = command.split(' ').slice(4);
    const to = flags.map((flag) => flag.replace('judge.json', join(folder, 'judge.json')));
    const { exit, err } = await judge('page.har', har(2, { answer: { data: [], has_more: false } }), ...to);
    expect({ exit, err }).toEqual({ exit: 0, err: '2 exchanges judged, 0 passed over\n' });
  }
});

test('the fetch of docs/judge.md is judged', () => {
  const [source = ''] = blocks('ts');
  const body = source.replace(/^import .*$/m, '');
  const { verdict, checks } = new Function('judged', `${body}\nreturn { verdict, checks };`)(judged);
  expect({ verdict, some: checks.length > 100 }).toEqual({ verdict: 'incomplete', some: true });
});
