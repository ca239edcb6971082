import { devNull } from 'node:os';
import { expect, test } from 'vitest';
import { called } from '../cli/called.harness.js';
import { type Host, systemHost } from '../probe/time.js';
import type { Report } from '../report/json.js';
import { tty } from '../report/tty.js';
import { startChild } from './child.js';

/** How every adapter here begins; each answers as its `answer` says. */
const adapter = (answer: string, hello = `{"adapter":"test","version":1,"layers":["sse","other"],"more":1}`) => `
  const say = (value) => process.stdout.write(typeof value === 'string' ? value : JSON.stringify(value) + '\\n');
  say(${JSON.stringify(hello)} + '\\n\\n');
  const right = (line) => ({ run: line.run, outcome: 'complete', events: [{ event: 'message', data: 'hello', id: '' }], extra: true });
  let n = 0;
  require('readline').createInterface({ input: process.stdin }).on('line', (text) => {
    const line = JSON.parse(text); n++;
    ${answer}
  });`;

/** A machine that gives adapters twenty times as long, because others may be at work on it. */
const PATIENT: Host = { ...systemHost, later: (ms, then) => systemHost.later(20 * ms, then) };

const run = (code: string, ...flags: string[]) => runOn(PATIENT, code, ...flags);

/** Runs an adapter. It is interrupted where the adapter says `end it` on its standard error. */
async function runOn(
  host: Host,
  code: string,
  ...flags: string[]
): Promise<{ exit: number; err: string; out: string; results: Report | undefined }> {
  const text: string[] = [];
  const err: string[] = [];
  const over = new AbortController();
  const { exit } = await called(
    [
      'client',
      '--cuts',
      'none',
      ...(flags.includes('--report') ? [] : ['--report', 'json']),
      ...flags,
      '--',
      process.execPath,
      '-e',
      code,
    ],
    {
      out: (part) => text.push(part),
      err(part) {
        err.push(part);
        if (part.includes('end it')) over.abort();
      },
      signal: over.signal,
      host,
    },
  );
  const out = text.join('');
  return { exit, err: err.join(''), out, results: out.startsWith('{') ? (JSON.parse(out) as Report) : undefined };
}

const ONE = ['--only', 'sse-one-event'];
/** A second case, to see that the lab goes on. */
const TWO = [...ONE, '--only', 'sse-comment-before'];
const verdicts = (results: Report | undefined) =>
  Object.fromEntries(results?.checks.map(({ id, verdict }) => [id, verdict]) ?? []);

test('an answer that is right passes, with further keys, blank lines and a version that is a number', async () => {
  const { exit, results } = await run(adapter('say(right(line))'), ...ONE);
  expect(verdicts(results)).toEqual({ 'sse-one-event': 'pass' });
  expect(results?.target).toMatchObject({ kind: 'client', url: 'test 1' });
  expect(exit).toBe(0);
});

test('an answer that is wrong fails, with both sides and the bytes as sent', async () => {
  const wrong = adapter(`say({ run: line.run, outcome: 'complete', events: [{ data: 'hullo' }] })`);
  const { exit, results, err } = await run(wrong, ...ONE);
  const [check] = results?.checks ?? [];
  expect(check?.finding).toMatchObject({
    what: 'event 1 of 1',
    expected: { data: 'hello' },
    actual: { data: 'hullo' },
  });
  expect(err).toMatch(/^fail {2}sse-one-event {2}the data of the first event: "hullo", expected "hello"$/m);
  expect(exit).toBe(1);
});

test('a finding is a line of standard output as its case ends, where the report there is for people', async () => {
  const wrong = adapter(`say({ run: line.run, outcome: 'complete', events: [{ data: 'hullo' }] })`);
  const { err, out } = await run(wrong, ...TWO, '--report', 'tty', '--report', `json=${devNull}`);
  expect(out).toMatch(/^fail {2}sse-one-event {2}the data of the first event: .*\nfail {2}sse-comment-before {2}/);
  expect(err).not.toContain('fail');
});

test('the terminal shows what to run again', async () => {
  const wrong = adapter(`say({ run: line.run, outcome: 'error', error: { message: 'no' } })`);
  const { results } = await run(wrong, ...ONE);
  expect(results?.checks[0]?.finding?.replay).toMatch(
    /^npx intern-conformance client --only sse-one-event --seed \w+ --cuts none -- /,
  );
});

test.each([
  ['prints no JSON', `say('oops\\n')`, 'not JSON'],
  ['prints a line without run', `say({ outcome: 'complete' })`, 'without "run"'],
  ['answers what nobody asked', `say({ run: 'other', outcome: 'complete' })`, 'nobody asked'],
  ['answers in another form', `say({ run: line.run, outcome: 'done' })`, 'outcome'],
  ['prints 65 MB', `for (let i = 0; i < 65; i++) process.stdout.write('x'.repeat(1048576))`, '64 MB'],
])('an adapter that %s is an error of that case, and the lab goes on', async (_, answer, message) => {
  const code = adapter(
    `if (line.case === 'sse-one-event') { ${answer} } else say({ run: line.run, outcome: 'complete', events: [{ data: 'a' }] })`,
  );
  const { exit, results } = await run(code, ...TWO);
  expect(verdicts(results)).toEqual({ 'sse-one-event': 'error', 'sse-comment-before': 'pass' });
  expect(results?.checks[0]?.error?.message).toContain(message);
  expect(results && tty(results)).toMatch(/the adapter's fault/);
  expect(results && tty(results)).not.toContain("the kit's own fault");
  expect(exit).toBe(3);
});

test('two answers to one run are an error of that case', async () => {
  const code = adapter(
    `if (line.case === 'sse-one-event') { say(right(line)); say(right(line)); } else say({ run: line.run, outcome: 'complete', events: [{ data: 'a' }] })`,
  );
  const { results } = await run(code, ...TWO);
  expect(verdicts(results)).toEqual({ 'sse-one-event': 'error', 'sse-comment-before': 'pass' });
  expect(results?.checks[0]?.error?.message).toContain('twice');
});

test('an adapter that dies in a run crashed, where a fresh one begins', async () => {
  const code = adapter(
    `if (line.case === 'sse-one-event') process.exit(7); say({ run: line.run, outcome: 'complete', events: [{ data: 'a' }] })`,
  );
  const { exit, results } = await run(code, ...TWO);
  expect(verdicts(results)).toEqual({ 'sse-one-event': 'fail', 'sse-comment-before': 'pass' });
  expect(results?.checks[0]?.finding).toMatchObject({ what: 'crashed', actual: 'it ended with status 7' });
  expect(results && tty(results)).toContain('the client crashed: it ended with status 7');
  expect(exit).toBe(1);
});

test('an adapter that dies after an abort crashed, though a fresh one makes the next call', async () => {
  const code = adapter(
    `if (line.run.endsWith('-then')) say({ run: line.run, outcome: 'complete', chat: {} });
     else { say({ run: line.run, outcome: 'aborted' }); setTimeout(() => process.exit(7), 50); }`,
    '{"adapter":"test","version":1,"layers":["chat"],"abilities":["abort"]}',
  );
  const { results } = await run(code, '--only', 'abort-before');
  expect(results?.checks[0]?.finding).toMatchObject({ what: 'crashed', actual: 'it ended with status 7' });
});

test('an adapter that cannot begin again is an error, and what is left is skipped', async () => {
  const marker = `${process.env.TMPDIR ?? '/tmp'}/lab-adapter-${process.pid}-${systemHost.tag(6)}`;
  const code = `const fs = require('fs'); if (fs.existsSync(${JSON.stringify(marker)})) { fs.unlinkSync(${JSON.stringify(marker)}); process.exit(1); } ${adapter(`fs.writeFileSync(${JSON.stringify(marker)}, ''); process.exit(0)`)}`;
  const { exit, results } = await run(code, ...TWO);
  expect(verdicts(results)).toEqual({ 'sse-one-event': 'error', 'sse-comment-before': 'skip' });
  expect(exit).toBe(3);
});

test('no answer within the limit and a second is a fail called hung; the adapter is started again', async () => {
  const code = adapter(
    `if (line.case === 'http-no-answer') return; say({ run: line.run, outcome: 'complete', events: [{ data: 'hello' }] })`,
    '{"adapter":"test","layers":["sse","chat"]}',
  );
  const { results } = await runOn(systemHost, code, ...ONE, '--only', 'http-no-answer');
  expect(verdicts(results)).toEqual({ 'sse-one-event': 'pass', 'http-no-answer': 'fail' });
  expect(results?.checks.find(({ id }) => id === 'http-no-answer')?.finding?.what).toBe('hung');
});

test('a layer that is not offered is skipped; skips alone are not a pass', async () => {
  const { exit, results } = await run(adapter('say(right(line))'), '--only', 'chat-text');
  expect(verdicts(results)).toEqual({ 'chat-text': 'skip' });
  expect(exit).toBe(3);
});

test('prompt cases need event lines: without them they are skipped, late ones fail', async () => {
  const events = `[{ data: 'a' }, { data: 'b' }, { data: 'c' }]`;
  const read = `const http = require('http'); const u = new URL(line.url); const r = http.request({ host: u.hostname, port: u.port, path: u.pathname, method: 'POST', headers: line.headers }, (m) => { m.on('data', () => {}); m.on('end', () => {`;
  const silent = await run(
    adapter(`${read} say({ run: line.run, outcome: 'complete', events: ${events} }) }) }); r.end('{}')`),
    '--only',
    'sse-lf-prompt',
  );
  expect(verdicts(silent.results)).toEqual({ 'sse-lf-prompt': 'skip' });
  const late = await run(
    adapter(
      `${read} for (const event of ${events}) say({ run: line.run, event }); say({ run: line.run, outcome: 'complete', events: ${events} }) }) }); r.end('{}')`,
    ),
    '--only',
    'sse-lf-prompt',
  );
  expect(verdicts(late.results)).toEqual({ 'sse-lf-prompt': 'fail' });
});

test.each([
  ['ends at the start', 'process.exit(4)', 'status 4'],
  ['says something else first', `console.log('Server ready')`, 'not JSON'],
  ['says hello in another form', `console.log('{"adapter": 1}')`, 'adapter'],
])('an adapter that %s is exit 3 and one line', async (_, code, message) => {
  const { exit, err, results } = await run(code, ...ONE);
  expect(exit).toBe(3);
  expect(results).toBeUndefined();
  expect(err.trim().split('\n')).toHaveLength(1);
  expect(err).toContain(message);
});

test('a command that is not there is exit 3 and one line; none at all is exit 2', async () => {
  const err: string[] = [];
  const io = { err: (text: string) => void err.push(text) };
  expect((await called(['client', ...ONE, '--', '/no/such/adapter'], io)).exit).toBe(3);
  expect(err.join('')).toContain('/no/such/adapter does not exist');
  expect((await called(['client', ...ONE], io)).exit).toBe(2);
  expect((await called(['client', '--only', 'no-such-case', '--', 'true'], io)).exit).toBe(2);
});

test('its standard error is passed on', async () => {
  const { err } = await run(adapter(`process.stderr.write('a note\\n'); say(right(line))`), ...ONE);
  expect(err).toContain('a note');
});

/** An adapter that answers its first case, and never its second. */
const HANGS = adapter(`if (n === 1) say(right(line)); else process.stderr.write('end it')`);

test('an interrupt ends the case that is under way, not only those that wait, and the adapter with it', async () => {
  const { exit, results } = await run(HANGS, ...TWO);
  expect(exit).toBe(3);
  expect(Object.values(verdicts(results)).sort()).toEqual(['pass', 'skip']);
  expect(results?.incomplete).toContainEqual(expect.objectContaining({ kind: 'interrupted' }));
});

test('--max-time and --max-requests end a run of cases, and say so', async () => {
  const timed = await runOn(systemHost, HANGS.replace('end it', ''), ...TWO, '--max-time', '700ms');
  expect(timed.exit).toBe(3);
  expect(timed.results?.reasons.join()).toContain('the time of 0.7 s is up');
  const asks = adapter('fetch(line.url).then((answer) => answer.text()).then(() => say(right(line)))');
  const few = await run(asks, ...TWO, '--max-requests', '1');
  expect(few.exit).toBe(3);
  expect(few.results?.incomplete).toContainEqual(expect.objectContaining({ kind: 'requests', most: 1 }));
});

test('--plan lists cases and starts no adapter; a shard says which one it is', async () => {
  const never = `require('fs').writeFileSync('/nowhere/started', '')`;
  const { exit, err, out } = await run(never, ...TWO, '--plan');
  expect({ exit, err }).toEqual({ exit: 0, err: '' });
  expect(out).toContain('sse-one-event  sse, 1 run');
  expect(out).toContain('The adapter was not started.');
  const { results } = await run(adapter('say(right(line))'), ...TWO, '--shard', '2/2');
  expect(results?.checks).toHaveLength(1);
  expect(results?.options.shard).toEqual({ index: 2, of: 2 });
});

test('--show needs a running emulator: one line and exit 2 before anything is started', async () => {
  const { exit, err } = await run('process.exit(1)', ...ONE, '--show', 'http://127.0.0.1:9');
  expect(exit).toBe(2);
  expect(err).toMatch(/^intern-conformance: --show http:\/\/127\.0\.0\.1:9: expected the address of a running/);
  expect(err.trim().split('\n')).toHaveLength(1);
});

test('adapters share one listener for the end of this process', async () => {
  const before = process.listenerCount('exit');
  const all = Array.from({ length: 12 }, () => {
    let ended = () => {};
    const end = new Promise<void>((resolve) => {
      ended = resolve;
    });
    return { end, child: startChild('cat', [], { line() {}, tooLong() {}, err() {}, ended }) };
  });
  expect(process.listenerCount('exit') - before).toBeLessThanOrEqual(1);
  for (const { child } of all) child.finish();
  await Promise.all(all.map(({ end }) => end));
  expect(process.listenerCount('exit')).toBe(before);
});

test('a case that has ended listens to the end of the run no more', async () => {
  const warned: Error[] = [];
  const listen = (warning: Error) => warned.push(warning);
  process.on('warning', listen);
  const { results } = await run(adapter(`say({ run: line.run, outcome: 'complete' })`), '--only', 'sse-e*');
  process.off('warning', listen);
  expect(results?.checks.length).toBeGreaterThan(10);
  expect(warned).toEqual([]);
});
