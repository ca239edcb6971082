import { describe, expect, test } from 'vitest';
import { STREAM_ORDER } from '../framework/expect.js';
import { groups } from '../run/groups.js';
import { HOSTILE, sampleResults } from '../testing/sample-results.js';
import { REPORT_KINDS, REPORTERS } from './index.js';
import { readResults } from './json.js';

const results = sampleResults();

describe.each(REPORT_KINDS.filter((kind) => kind !== 'json'))('%s', (kind) => {
  const text = REPORTERS[kind](results);

  test('says verdict, failing checks and how to do them again', () => {
    expect(text).toMatch(/does not conform|failure/);
    expect(text).toContain('chat/fails');
    expect(text).toContain('--seed 1 --runs 3 --path p:0:1');
  });

  test('lets no control character of a target through', () => {
    const found = [...text].filter(
      (character) => /[\p{Cc}\p{Bidi_Control}]/u.test(character) && !/[\n\t]/.test(character),
    );
    expect(found).toEqual([]);
  });
});

test('JSON can be read back', () => {
  expect(readResults(REPORTERS.json(results), 'x')).toEqual(results);
  expect(() => readResults('{}', 'file.json')).toThrow('file.json: expected a JSON report of this kit');
  expect(() => readResults('nonsense', 'file.json')).toThrow('file.json: no JSON');
});

test('JUnit counts what it lists and holds no markup of the target', () => {
  const text = REPORTERS.junit(results);
  expect(text).toMatch(/<testsuite [^>]*tests="6" failures="1" errors="1" skipped="1"/);
  expect(text.match(/<testcase /g)).toHaveLength(6);
  expect(text.match(/<failure /g)).toHaveLength(1);
  expect(text.match(/<(script|img)/g)).toBeNull();
});

test('HTML holds no markup of the target', () => {
  const text = REPORTERS.html(results);
  expect(text).not.toContain('<img');
  expect(text.match(/<script/g)).toHaveLength(1);
  expect(text).toContain('&lt;script&gt;window.hit = 1&lt;/script&gt;');
  expect(text).not.toMatch(/(src|href)="http/);
});

test('Markdown lets no fence, table or markup of the target out', () => {
  const text = REPORTERS.markdown(results);
  const outside = text.replace(/^(`{3,})text\n[\s\S]*?^\1$/gm, '');
  expect(outside).not.toMatch(/<(script|img)/);
  expect(outside).not.toContain('window.hit = 1</script>');
});

test('no line of the target is a workflow command', () => {
  const lines = REPORTERS.github(results).split('\n').filter(Boolean);
  expect(lines.every((line) => /^::(error|warning|notice) title=[^:]*::/.test(line))).toBe(true);
  expect(lines.filter((line) => line.startsWith('::error title=2 checks (1 fail%2C 1 warn)%3A what'))).toHaveLength(1);
  expect(HOSTILE).toContain('\n::warning::y');
});

describe.each(REPORT_KINDS)('%s', (kind) => {
  test('holds no workflow command that a target said', () => {
    const said = 'x\n::add-mask::y\n  ::stop-commands::z\n##[add-mask]y\nsaid ##[group]z';
    const [check] = results.checks.filter(({ id }) => id === 'chat/fails');
    const finding = { ...check?.finding, what: said, actual: said, expected: said, transcript: [], curl: said };
    const hostile = {
      ...results,
      target: { ...results.target, url: said },
      reasons: [said],
      checks: [
        { ...check, finding },
        { ...check, id: 'chat/skips', skip: { need: said, why: said, kind: 'need' } },
      ],
      cleanup: { created: 1, deleted: 0, failed: [{ id: said, name: said, why: said }], notSearched: said },
    } as unknown as typeof results;
    const lines = REPORTERS[kind](hostile).split('\n');
    const commands = lines.filter((line) => /^\s*::/.test(line) || line.includes('##['));
    const ours = kind === 'github' ? /^::(error|warning|notice) title=/ : /^$/;
    expect(commands.filter((line) => !ours.test(line))).toEqual([]);
    expect(commands.filter((line) => /##\[/.test(line))).toEqual([]);
  });
});

test('findings that are the same are told once, the largest group first', () => {
  const [one] = results.checks.filter(({ id }) => id === 'chat/fails');
  const [other] = results.checks.filter(({ id }) => id === 'chat/passes');
  if (one === undefined || other === undefined) throw new Error('the sample has no such checks');
  const found = (at: number, what: string, actual: unknown) =>
    ({ ...one, id: `chat/${at}`, finding: { ...one.finding, what, expected: 'stop', actual } }) as typeof one;
  const checks = [
    found(0, 'status of the create', '500 {"error":{}}'),
    found(1, 'finish_reason of the reply to a prompt', 'length; content "x"'),
    found(2, 'finish_reason of another reply', 'length; content "y"'),
    other,
  ];
  const many = { ...results, checks };
  expect(groups(checks).map(({ title, checks: members }) => [title, members.length])).toEqual([
    ['finish_reason is length, expected stop', 2],
    ['the create is answered 500, expected stop', 1],
  ]);
  expect(REPORTERS.tty(many)).toContain('2 checks: finish_reason is length, expected stop');
  expect(REPORTERS.markdown(many)).toContain('2 checks: finish\\_reason is length, expected stop');
  expect(REPORTERS.html(many)).toContain('2 checks: finish_reason is length, expected stop');
  expect(REPORTERS.github(many).match(/^::error title=2 checks%3A finish_reason/gm)).toHaveLength(1);
});

test.each([
  ['error.code of a read', '404', 404, 'error.code of a read is a text, expected a number'],
  ['body of a read', '', 'JSON', 'body of a read is empty, expected JSON'],
  ['event 1 of 2', 'nothing', { data: 'a' }, 'event 1 of 2 is nothing, expected {"data":"a"}'],
  [
    'data of a list',
    [{ id: 'a', name: 'a name', status: 'running', workspace_id: 'w', description: 'what it is', instructions: null }],
    {
      id: 'b',
      name: 'b',
      status: 'running',
      workspace_id: 'w',
      description: 'what it is',
      instructions: null,
      model: 'm',
    },
    'data of a list is a list of 1, expected an object with id, name, status, workspace_id, description, instructions, …',
  ],
  ['crashed', 'it ended with status 5', 'complete', 'the client crashed: it ended with status 5'],
  [
    'order and shape of the stream (CHAT-2)',
    'a second finish_reason\ncontent after it',
    STREAM_ORDER,
    'the stream breaks a rule: a second finish_reason',
  ],
])('%s: what is wrong reads as a sentence', (what, actual, expected, title) => {
  const [one] = results.checks.filter(({ id }) => id === 'chat/fails');
  if (one?.finding === undefined) throw new Error('the sample has no such check');
  expect(groups([{ ...one, finding: { ...one.finding, what, expected, actual } }])[0]?.title).toBe(title);
});

test.each([
  [
    'a text in place of a number, whichever number it is',
    ['error.code of a read', '"404"', '404', 404],
    ['error.code of a create', '"400"', '400', 400],
    'error.code is a text, expected a number',
  ],
  [
    'an address that nobody answers at',
    ['GET /interns?status=running', '', 'refused: no', 'an HTTP answer'],
    ['GET /interns?status=running', '', 'refused: no', 'an HTTP answer'],
    'GET /interns?status=running is refused: no, expected an HTTP answer',
  ],
  [
    'statuses, some of them named',
    ['status of one', '', '200 {"a":1}', 404],
    ['status of another', '', '200 {"b":1}', 404],
    'status is 200, expected 404 (one, another)',
  ],
])('%s: told together', (_, one, other, title) => {
  const [sample] = results.checks.filter(({ id }) => id === 'chat/fails');
  if (sample?.finding === undefined) throw new Error('the sample has no such check');
  const of = ([what, , actual, expected]: readonly unknown[], id: string) =>
    ({ ...sample, id, finding: { ...sample.finding, what, actual, expected } }) as typeof sample;
  expect(groups([of(one, 'a/one'), of(other, 'a/two')]).map((group) => group.title)).toEqual([title]);
});

test('one fault is one group, be it a failure here and a warning there; the terminal ends with what is wrong', () => {
  const [one] = results.checks.filter(({ id }) => id === 'chat/fails');
  if (one?.finding === undefined) throw new Error('the sample has no such check');
  const finding = { ...one.finding, what: 'finish_reason of a reply', expected: 'stop', actual: 'length; content "x"' };
  const of = (id: string, verdict: 'fail' | 'warn') => ({ ...one, id, verdict, finding });
  const checks = [of('chat/a', 'warn'), of('chat/b', 'fail'), of('chat/c', 'warn')];
  const [group, ...others] = groups(checks);
  expect(others).toEqual([]);
  expect(group?.checks.map(({ id }) => id)).toEqual(['chat/b', 'chat/a', 'chat/c']);
  const line = '3 checks (1 fail, 2 warn): finish_reason of a reply is length, expected stop';
  const text = REPORTERS.tty({ ...results, checks });
  expect(text).toContain(`What is wrong\n  fail   ${line}\n\n`);
  expect(text.indexOf('What is wrong')).toBeGreaterThan(text.indexOf('expected stop'));
  expect(REPORTERS.html({ ...results, checks })).toContain(line);
});

test.each(['tty', 'html', 'markdown', 'junit', 'github'] as const)(
  '%s: names what likely has the same cause apart from what says the same',
  (kind) => {
    const [one] = results.checks.filter(({ id }) => id === 'chat/fails');
    if (one?.finding === undefined) throw new Error('the sample has no such check');
    const actual = '409 busy although nothing streams';
    const of = (id: string, what: string) => ({ ...one, id, finding: { ...one.finding, what, expected: 'x', actual } });
    const checks = [of('chat/a', 'the answer'), of('chat/b', 'the answer'), of('chat/c', 'a prompt')] as never;
    const text = REPORTERS[kind]({ ...results, checks }).replace(/<wbr>/g, '');
    expect(text).toContain('likely the same cause');
    expect(text).toMatch(/a prompt (is|\S+) 409 busy although nothing streams, expected x/);
    expect(text).toMatch(/3 checks(: |%3A )the answer is 409/);
  },
);

test('a title shows the value of which it says what is wrong', () => {
  const [one] = results.checks.filter(({ id }) => id === 'chat/fails');
  if (one?.finding === undefined) throw new Error('the sample has no such check');
  const finding = { ...one.finding, what: 'the time', expected: 'Unix seconds', actual: '1795328030123' };
  expect(groups([{ ...one, finding }])[0]?.title).toBe('the time is 1795328030123, expected Unix seconds');
});

test('JUnit says of one finding too what is wrong, not only what was looked at', () => {
  expect(REPORTERS.junit(results)).toMatch(/<failure message="[^"]* is [^"]*, expected /);
});

test('the headline tells how much was checked, and why not more', () => {
  expect(REPORTERS.tty(results)).toMatch(/does not conform: 5 of 6 checked, 1 not \(1 need a control interface\)/);
});
