import { describe, expect, test } from 'vitest';
import { STREAM_RULES, type StreamBreach, type StreamRule } from '../probe/chunks.js';
import type { ShownExchange } from '../probe/evidence.js';
import { streamRows } from './stream-picture.js';

const chunk = (delta: object, more: object = {}) => ({ choices: [{ index: 0, delta, ...more }] });
const final = (more: object = { session_id: 's', usage: null }) => ({ choices: [], ...more });

/** A stream whose events come 100 ms apart, the first one at 1,100 ms of a run, 100 ms after it was asked for. */
const stream = (events: readonly (object | string)[], ended: string | null = 'end', rest = ''): ShownExchange => ({
  number: 1,
  at: 1_000,
  request: { method: 'POST', url: 'http://x/chat/completions', headers: {} },
  response: {
    at: 1_050,
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8' },
    pieces: [
      ...events.map((event) =>
        typeof event !== 'string' || event === '[DONE]'
          ? `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`
          : event,
      ),
      ...(rest === '' ? [] : [rest]),
    ].map((text, at) => ({ at: 1_100 + at * 100, text })),
    ...(ended === null ? {} : { ended }),
  },
});

const texts = (exchange: ShownExchange, finding?: Parameters<typeof streamRows>[1]) =>
  streamRows(exchange, finding)?.map(({ at, text, wrong }) => [at, text, ...(wrong === undefined ? [] : [wrong])]);

const PERMISSION = { kind: 'permission', operation: 'shell', options: ['allow_once'] };
const CALL = { index: 0, function: { name: 'service.provide_input', arguments: JSON.stringify(PERMISSION) } };

test('a stream is shown step by step; words that follow each other are one step', () => {
  const events = [
    chunk({ role: 'assistant', content: '' }),
    ': keepalive\n\n',
    ': keepalive\n\n',
    chunk({ reasoning: 'Hm.' }),
    chunk({ content: 'I "will" ' }),
    chunk({ content: 'do it.' }),
    chunk({ tool_calls: [CALL] }),
    chunk({}, { finish_reason: 'tool_calls' }),
    final(),
    '[DONE]',
  ];
  expect(texts(stream(events))).toEqual([
    [100, 'begins'],
    [200, 'comment keepalive, 2 times'],
    [400, 'thinks "Hm."'],
    [500, 'says in 2 chunks "I \\"will\\" do it."'],
    [700, 'calls service.provide_input: permission shell'],
    [800, 'finish_reason tool_calls'],
    [900, 'final chunk, session_id "s", usage null'],
    [1_000, '[DONE]'],
    [1_000, 'end of the body'],
  ]);
});

describe('what a finding tells of stands at its step', () => {
  const breaks = (rule: StreamRule, more: Pick<StreamBreach, 'got' | 'event'> = {}) => {
    const [requirement, level] = STREAM_RULES[rule];
    const wanted = { kind: 'stream', rule: 'order' } as const;
    return { wanted, got: { events: 5, breaches: [{ rule, requirement, level, ...more }] }, exchange: 1 };
  };
  const say = chunk({ content: 'a' });
  const stop = chunk({}, { finish_reason: 'stop' });

  test('a rule that an event breaks, with the event', () => {
    const rows = streamRows(
      stream([say, stop, final(), final({ session_id: 't', usage: null }), '[DONE]']),
      breaks('one-final', { event: { number: 4, data: '{…' } }),
    );
    expect(rows?.filter(({ wrong }) => wrong !== undefined)).toEqual([
      {
        at: 400,
        kind: 'final',
        text: 'final chunk, session_id "t", usage null',
        wrong: 'a second chunk with empty choices',
        data: '{"choices":[],"session_id":"t","usage":null}',
      },
    ]);
  });

  test('a rule that the end breaks', () => {
    expect(texts(stream([say, stop, final()]), breaks('ends-with-done'))?.at(-1)).toEqual([
      300,
      'end of the body',
      'the stream ended without [DONE]',
    ]);
    expect(
      texts(stream([say], 'dropped: reset'), breaks('connection-holds', { got: 'dropped: reset' }))?.at(-1),
    ).toEqual([100, 'dropped: reset', 'the connection broke: dropped: reset']);
  });

  test('another finish reason than the one that was expected', () => {
    const failed = chunk({}, { finish_reason: 'error', error: { code: 500, metadata: { reason: 'internal_error' } } });
    const wanted = { kind: 'stream', rule: 'finish', finish: 'stop' } as const;
    const finding = { wanted, got: { chunks: 2, finish: 'error', content: 'a' }, exchange: 1 };
    expect(texts(stream([say, failed]), finding)).toContainEqual([
      200,
      'finish_reason error, error 500 internal_error',
      'expected "stop"',
    ]);
  });

  test('nothing of another exchange', () => {
    const other = { ...breaks('one-final', { event: { number: 4, data: '{…' } }), exchange: 2 };
    const rows = streamRows(stream([say, stop, final(), final(), '[DONE]']), other);
    expect(rows?.some(({ wrong }) => wrong !== undefined)).toBe(false);
  });
});

test('what is no stream has none; what is odd in one is shown as it is', () => {
  const { response, ...rest } = stream([]);
  expect(streamRows(rest)).toBeUndefined();
  const json = { ...rest, response: { ...response, at: 0, status: 200, pieces: [], headers: {} } };
  expect(streamRows(json)).toBeUndefined();
  expect(
    texts(stream(['data: <html>\n\n', 'data: {"a":1}\n\n', chunk({ content: 'a' })], null, 'data: {"cho')),
  ).toEqual([
    [100, 'no JSON: <html>'],
    [200, 'no chunk: {"a":1}'],
    [300, 'says "a"'],
    [400, 'an event without its blank line: data: {"cho'],
    [400, 'still open'],
  ]);
  expect(texts(stream([chunk({ content: 'a' })], 'cancelled', '… 5000 more bytes'))?.slice(1)).toEqual([
    [100, 'what came after is not kept here'],
  ]);
});
