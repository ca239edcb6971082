import { describe, expect, test } from 'vitest';
import { createHarness, listen } from './chat.harness.js';

/** The bytes of one chunk, spelled out here so that nothing of the writer's own makes them. */
const line = (id: string, model: string, rest: string) =>
  `data: {"id":"${id}","object":"chat.completion.chunk","created":1767225600,"model":"${model}",${rest}}\n\n`;

const speak = (id: string, model = 'svc/intern') => ({
  role: line(
    id,
    'svc/intern',
    '"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]',
  ),
  say: (text: string) =>
    line(id, model, `"choices":[{"index":0,"delta":{"content":${JSON.stringify(text)}},"finish_reason":null}]`),
  reason: (text: string) =>
    line(id, model, `"choices":[{"index":0,"delta":{"reasoning":${JSON.stringify(text)}},"finish_reason":null}]`),
  call: (call: string, args: string) =>
    line(
      id,
      model,
      `"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"${call}","type":"function","function":{"name":"service.provide_input","arguments":${JSON.stringify(args)}}}]},"finish_reason":null}]`,
    ),
  finish: (reason: string) => line(id, model, `"choices":[{"index":0,"delta":{},"finish_reason":"${reason}"}]`),
  error: (error: string, by = 'svc/intern') =>
    line(id, by, `"choices":[{"index":0,"delta":{},"finish_reason":"error"}],"error":${error}`),
  final: (session: string, usage: string, by = model) =>
    `${line(id, by, `"choices":[],"session_id":"${session}","usage":${usage}`)}data: [DONE]\n\n`,
});

const usage = (p: number, c: number) => `{"prompt_tokens":${p},"completion_tokens":${c},"total_tokens":${p + c}}`;
const ENDED = '{"code":410,"message":"The intern ended the run","metadata":{"reason":"run_ended","retryable":false}}';
const SEVERED =
  '{"code":502,"message":"The connection to the intern broke","metadata":{"reason":"stream_severed","retryable":true}}';
const FAILED = '{"code":502,"message":"The turn failed","metadata":{"reason":"turn_failed","retryable":false}}';

/** The stream of a stock script, byte by byte; `wait` is the time it needs on the clock. */
async function bytesOf(script: string, wait = 0) {
  const h = createHarness();
  const stream = await h.say(script);
  expect(stream.status).toBe(200);
  expect(stream.headers.get('content-type')).toBe('text/event-stream');
  if (wait > 0) await h.clock.advance(wait);
  const said = await stream.end();
  const id = said.chunks[0]?.id as string;
  expect(id).toMatch(/^chatcmpl-[0-9a-f-]{36}$/);
  expect(said.sessionId).toMatch(/^[0-9a-f-]{36}$/);
  return { h, said, s: speak(id), session: said.sessionId ?? '', run: h.runs.list()[0] };
}

const plain: [script: string, wait: number, texts: string[], usage: string][] = [
  ['echo', 0, ['hello'], usage(2, 2)],
  ['silent', 300_000, ['Thinking.'], 'null'],
  ['no-usage', 0, ['No figures today.'], 'null'],
  ['long', 0, Array.from({ length: 1_000 }, (_, i) => `${String(i + 1).padStart(4, '0')} `), usage(10, 1_000)],
];

describe('stock scripts, byte by byte', () => {
  test.each(plain)('%s stops', async (script, wait, texts, used) => {
    const { said, s, session, run } = await bytesOf(script, wait);
    const silence = ': keepalive\n\n'.repeat(Math.max(0, wait / 30_000 - 1));
    expect(said.text).toBe(s.role + texts.map(s.say).join('') + silence + s.finish('stop') + s.final(session, used));
    expect(run).toMatchObject({ status: 'ended', ended: 'stop', session_id: session });
  });

  test.each([
    ['cancelled', 'On second thoughts', ENDED, usage(10, 4)],
    ['deadline', 'This takes a while', ENDED, usage(10, 4)],
    ['severed', 'You can count on', SEVERED, 'null'],
    ['fails', 'Almost there', FAILED, 'null'],
  ])('%s ends with an error', async (script, text, error, used) => {
    const { said, s, session, run } = await bytesOf(script);
    expect(said.text).toBe(s.role + s.say(text) + s.error(error) + s.final(session, used));
    expect(run?.ended).toBe(script === 'fails' ? 'failed' : script);
  });

  test('ask-permission, asked and answered', async () => {
    const h = createHarness();
    const first = await (await h.say('ask-permission', { approval_mode: 'manual' })).end();
    const s = speak(first.chunks[0]?.id as string);
    expect(first.text).toBe(
      s.role +
        s.say('I would like to use the shell. ') +
        s.call(
          first.call?.id ?? '',
          '{"kind":"permission","operation":"shell","options":["allow_once","allow_always","reject_once","reject_always"]}',
        ) +
        s.finish('tool_calls') +
        s.final(first.sessionId ?? '', 'null'),
    );
    const second = await listen(await h.reply(first.sessionId, first.call?.id, 'reject_always')).end();
    const t = speak(second.chunks[0]?.id as string);
    expect(second.text).toBe(
      t.role + t.say('Rejected always.') + t.finish('stop') + t.final(first.sessionId ?? '', usage(24, 12)),
    );
    expect(second.chunks[0]?.id).not.toBe(first.chunks[0]?.id);
  });

  test('unicode survives as JSON in one line each', async () => {
    const { said } = await bytesOf('unicode');
    expect(said.reasoning).toBe('line\nfeed, carriage\rreturn, both\r\n\r\n');
    expect(Buffer.from(said.content).toString()).toBe(said.content);
    for (const text of [
      'data: not an event\n\ndata: [DONE]\n\n: not a comment\nevent: x\nid: 1\nretry: 2\n[DONE]',
      'separators \u2028 \u2029 \u0085',
      'controls \u0000',
      'e\u0301 👨‍👩‍👧 🇩🇪 👍🏽',
      '𠀀 \u{10ffff}',
    ]) {
      expect(said.content).toContain(text);
    }
    // Every line is a whole event to every reader, whatever it reads as the end of a line.
    expect(said.text).not.toMatch(/[\r\u0085\u2028\u2029]/);
    expect(said.text.split('\n').filter((l) => l !== '' && !l.startsWith('data: '))).toEqual([]);
    const families = said.chunks.filter((chunk) => JSON.stringify(chunk).includes('👨‍👩‍👧'));
    expect(families).toHaveLength(1);
  });

  test('lone-surrogate says what only JSON can carry', async () => {
    const { said } = await bytesOf('lone-surrogate');
    expect(said.content).toBe('lone \ud800 surrogates \udc00 reversed \udc00\ud800');
    expect(said.done).toBe(true);
  });

  test('everything that is ready at once leaves in one write', async () => {
    const { said } = await bytesOf('long');
    expect(said.bytes.length).toBeLessThanOrEqual(2);
    const small = await bytesOf('no-usage');
    expect(small.said.bytes).toHaveLength(1);
  });

  test.each([
    [9_000, 100],
    [500, 2_000],
  ])('%i chunks of %i: too long for one write, nothing lost or repeated', async (count, length) => {
    const h = createHarness();
    const words = Array.from({ length: count }, (_, i) => `${String(i).padStart(length - 1, '0')} `);
    h.scripts.put('epic', { name: 'epic', turn: [{ say: words.join(''), chunks: count }, { end: 'stop' }] });
    const said = await (await h.say('epic')).end();
    expect(said.bytes.length).toBeGreaterThan(1);
    expect(said.content).toBe(words.join(''));
    expect(said).toMatchObject({ finish: 'stop', done: true });
    expect(said.chunks).toHaveLength(1 + count + 2);
  });

  test('the intern reports the model it booted with; the service uses its placeholder', async () => {
    const h = createHarness();
    const row = h.addIntern(2, { booted: { model: 'acme/large', instructions: null } });
    const said = await (await h.say('no-usage', {}, { row })).end();
    const s = speak(said.chunks[0]?.id as string, 'acme/large');
    expect(said.text).toBe(
      s.role + s.say('No figures today.') + s.finish('stop') + s.final(said.sessionId ?? '', 'null'),
    );
    const broken = await (await h.say('severed', {}, { row })).end();
    const b = speak(broken.chunks[0]?.id as string, 'acme/large');
    expect(broken.text).toBe(
      b.role + b.say('You can count on') + b.error(SEVERED) + b.final(broken.sessionId ?? '', 'null', 'svc/intern'),
    );
    const failed = await (await h.say('fails', {}, { row })).end();
    const f = speak(failed.chunks[0]?.id as string, 'acme/large');
    expect(failed.text).toBe(
      f.role + f.say('Almost there') + f.error(FAILED, 'acme/large') + f.final(failed.sessionId ?? '', 'null'),
    );
  });
});
