import { expect, test } from 'vitest';
import { answerGist, requestGist, writeGist } from './gist.js';

const ID = '0b000000-0000-4000-8000-000000000001';

test('a request is its method, its path without ids, and what it says', () => {
  const say = (role: string, content: string) => JSON.stringify({ messages: [{ role, content }] });
  expect(requestGist('POST', `/interns/${ID}/chat/completions`, say('user', 'hello\nthere'))).toBe(
    'POST /interns/…/chat/completions "hello⏎there"',
  );
  expect(requestGist('POST', '/x', say('tool', 'allow_once'))).toBe('POST /x answers "allow_once"');
  expect(requestGist('GET', `/interns/${ID}`, '')).toBe('GET /interns/…');
  expect(requestGist('POST', '/interns', '{"name":"a"}')).toBe('POST /interns {"name":"a"}');
});

test('an answer is its status, and why or in which state', () => {
  expect(answerGist(409, 'busy', '')).toBe('409 busy');
  expect(answerGist(200, undefined, '{"id":"x","status":"running"}')).toBe('200 running');
  expect(answerGist(202, undefined, '{"deleting":true}')).toBe('202');
});

test('a write is what it says, whatever its ids', () => {
  const chunk = (choices: unknown, more = {}) => `data: ${JSON.stringify({ id: ID, choices, ...more })}\n\n`;
  const delta = (delta: unknown) => chunk([{ index: 0, delta }]);
  const finish = (finish_reason: string, more = {}) => chunk([{ index: 0, delta: {}, finish_reason }], more);
  expect(writeGist(delta({ role: 'assistant', content: '' }))).toBe('begins');
  expect(writeGist(delta({ content: 'hello' }))).toBe('says "hello"');
  const call = { function: { arguments: '{"kind":"permission","operation":"shell"}' } };
  expect(writeGist(delta({ tool_calls: [call] }))).toBe('asks "shell"');
  const error = { code: 502, metadata: { reason: 'stream_severed' } };
  expect(writeGist(finish('error', { error }))).toBe('finish error, 502 stream_severed');
  expect(writeGist(`${finish('stop')}${chunk([])}data: [DONE]\n\n`)).toBe('finish stop · final chunk · [DONE]');
  expect(writeGist(': keepalive\n\n')).toBe(': keepalive');
  expect(writeGist('data: {"id":"cut he')).toBe('{"id":"cut he');
});
