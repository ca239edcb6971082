import { expect, test } from 'vitest';
import type { Streamed } from '../../framework/watch.js';
import { createChunkGrammar } from '../../probe/chunks.js';
import { heard, met, watchOf } from './met.harness.js';
import { STREAMS_AS_MET } from './streams.js';

/** A stream of a prompt that was read to its end. */
function stream(json: object, said: Partial<Streamed['transcript']>): Streamed {
  const { answer: _, type: __, ...asked } = met('POST', '/interns/own-1/chat/completions', 200, undefined, { json });
  const { transcript } = createChunkGrammar('ask');
  return { ...asked, transcript: { ...transcript, ended: 'end', final: {}, finish: 'stop', ...said } };
}

test('a stream names its session, that of its prompt where the run knows it', () => {
  const seen = (...all: Streamed[]) => heard(watchOf(STREAMS_AS_MET, 'as-met/sessions'), ...all);
  const first = stream({}, { content: 'Hello.', sessionId: 's' });
  const later = (sessionId: string | undefined, content = '') => stream({ session_id: 's' }, { content, sessionId });
  expect(seen(first, later('s'))).toEqual([]);
  expect(seen(first, later('t'))).toEqual(['session_id of a prompt in a session']);
  expect(seen(first, later(undefined))).toEqual(['session_id of a prompt in a session']);
  expect(seen(later('t'))).toEqual([]);
  expect(seen(stream({}, { finish: 'error' }))).toEqual([]);
  expect(seen(stream({}, { finish: 'error', content: 'I beg' }))).toEqual(['session_id after error']);
});

test('an answer goes on in its session, and what is asked next has another id', () => {
  const answer = (sessionId: string, id?: string) => {
    const messages = [{ role: 'tool', tool_call_id: 'q1', content: 'yes' }];
    const call = { index: 0, id, type: 'function', name: 'ask', arguments: '{}', parts: 1 };
    return stream({ session_id: 's', messages }, { sessionId, toolCalls: id === undefined ? [] : [call] });
  };
  const seen = (one: Streamed) => heard(watchOf(STREAMS_AS_MET, 'as-met/answers'), one);
  expect([...seen(answer('s')), ...seen(answer('s', 'q2'))]).toEqual([]);
  expect(seen(answer('t'))).toEqual(['session_id of the answer to a question']);
  expect(seen(answer('s', 'q1'))).toEqual(['id of the question after an answer']);
});
