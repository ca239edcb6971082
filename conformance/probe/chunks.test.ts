import { describe, expect, test } from 'vitest';
import { createChunkGrammar } from './chunks.js';

const chunk = (choices: unknown[], rest: Record<string, unknown> = {}) => ({
  id: 'r1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices,
  ...rest,
});
const delta = (value: Record<string, unknown>, finish: string | null = null) => [
  { index: 0, delta: value, finish_reason: finish },
];
const FIRST = chunk(delta({ role: 'assistant', content: '' }));
const SAID = chunk(delta({ content: 'Hello' }));
const STOP = chunk(delta({}, 'stop'));
const FINAL = chunk([], { session_id: 's1', usage: null });
const CALL = chunk(
  delta({
    tool_calls: [
      { index: 0, id: 'c1', type: 'function', function: { name: 'service.provide_input', arguments: '{}' } },
    ],
  }),
);
const ASKED = chunk(delta({}, 'tool_calls'));
const DONE = '[DONE]';

const read = (events: unknown[], how = 'end') => {
  const grammar = createChunkGrammar('service.provide_input');
  for (const event of events) {
    grammar.take({ kind: 'event', at: 0, data: typeof event === 'string' ? event : JSON.stringify(event) });
  }
  grammar.end('', how);
  return grammar.transcript;
};
const breaches = (events: unknown[], how?: string) =>
  read(events, how).breaches.map((one) => `${one.level} ${one.requirement}`);

test('a whole answer has nothing against it', () => {
  const t = read([FIRST, SAID, STOP, FINAL, DONE]);
  expect(t.breaches).toEqual([]);
  expect(t).toMatchObject({ content: 'Hello', finish: 'stop', sessionId: 's1', done: true, ended: 'end' });
});

test('events of another type are passed over between the first chunk and the end, unless they are chunks', () => {
  const ping = { type: 'ping' };
  const typed = (events: unknown[], type: string) => {
    const grammar = createChunkGrammar('service.provide_input');
    for (const event of events) {
      const data = typeof event === 'string' ? event : JSON.stringify(event);
      grammar.take({ kind: 'event', at: 0, data, ...(event === ping || event === SAID ? { type } : {}) });
    }
    grammar.end('', 'end');
    return grammar.transcript;
  };
  const { breaches: none, content } = typed([FIRST, ping, SAID, STOP, ping, FINAL, DONE], 'ping');
  expect(none).toEqual([]);
  expect(content).toBe('Hello');
  for (const events of [
    [ping, FIRST],
    [FIRST, STOP, FINAL, DONE, ping],
  ])
    expect(typed(events, 'ping').breaches).not.toEqual([]);
  expect(typed([FIRST, ping, STOP, FINAL, DONE], 'message').breaches.map(({ rule }) => rule)).toEqual([
    'chunk-has-choices',
  ]);
});

test('neither has one that asks', () => {
  const t = read([FIRST, CALL, ASKED, FINAL, DONE]);
  expect(t.breaches).toEqual([]);
  expect(t.toolCalls).toMatchObject([{ id: 'c1', name: 'service.provide_input', arguments: '{}' }]);
});

describe('one thing wrong', () => {
  test.each([
    ['an event that is no JSON', [FIRST, 'nonsense', STOP, FINAL, DONE], 'S CHAT-1'],
    ['no [DONE]', [FIRST, STOP, FINAL], 'S CHAT-1'],
    ['no final chunk', [FIRST, STOP, DONE], 'S CHAT-3'],
    ['two final chunks', [FIRST, STOP, FINAL, FINAL, DONE], 'S CHAT-3'],
    ['the final chunk before the finish reason', [FIRST, FINAL, STOP, DONE], 'S CHAT-3'],
    ['something after [DONE]', [FIRST, STOP, FINAL, DONE, SAID], 'S CHAT-3'],
    ['no session_id', [FIRST, STOP, chunk([], { usage: null }), DONE], 'S CHAT-3'],
    ['session_id null after stop', [FIRST, STOP, chunk([], { session_id: null, usage: null }), DONE], 'S CHAT-3'],
    ['no usage', [FIRST, STOP, chunk([], { session_id: 's1' }), DONE], 'S CHAT-4'],
    ['usage after tool_calls', [FIRST, CALL, ASKED, chunk([], { session_id: 's1', usage: {} }), DONE], 'S CHAT-4'],
    ['two finish reasons', [FIRST, STOP, STOP, FINAL, DONE], 'S CHAT-2'],
    ['an unknown finish reason', [FIRST, chunk(delta({}, 'length')), FINAL, DONE], 'S CHAT-2'],
    ['content after the finish reason', [FIRST, STOP, SAID, FINAL, DONE], 'S CHAT-2'],
    ['tool_calls without a call', [FIRST, ASKED, FINAL, DONE], 'S CHAT-5'],
    ['stop after a call', [FIRST, CALL, STOP, FINAL, DONE], 'S CHAT-5'],
    ['another id', [FIRST, { ...SAID, id: 'r2' }, STOP, FINAL, DONE], 'P CHAT-1'],
    ['another object', [FIRST, { ...SAID, object: 'chat.completion' }, STOP, FINAL, DONE], 'P CHAT-1'],
    ['no role', [SAID, STOP, FINAL, DONE], 'P CHAT-1'],
    ['usage early', [FIRST, { ...SAID, usage: {} }, STOP, FINAL, DONE], 'C CHAT-3'],
  ])('%s', (_, events, breach) => {
    expect(breaches(events)).toContain(breach);
  });
});

test('a connection that breaks is reported, one that we closed is not', () => {
  expect(breaches([FIRST], 'dropped: reset')).toContain('S CHAT-3');
  expect(breaches([FIRST], 'cancelled')).toEqual([]);
});

test('an error is found where the published API puts it, and elsewhere', () => {
  const error = { code: 410, message: 'ended', metadata: { reason: 'run_ended', retryable: false } };
  const there = read([FIRST, chunk(delta({}, 'error'), { error }), FINAL, DONE]);
  expect(there.error).toEqual({ code: 410, message: 'ended', reason: 'run_ended', retryable: false, inPlace: true });
  const within = read([
    FIRST,
    chunk([{ index: 0, delta: {}, finish_reason: 'error', error: { code: 410, reason: 'run_ended' } }]),
    FINAL,
    DONE,
  ]);
  expect(within.error).toMatchObject({ code: 410, reason: 'run_ended', inPlace: false });
});
