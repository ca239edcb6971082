import { expect, test } from 'vitest';
import type { Send } from '../probe/request.js';
import { createHistory } from './history.js';

const about = (method: string, rest = '', send: Partial<Send> = {}) => ({ send: { method, ...send }, id: 'i', rest });

test('a prompt is the first until another was sent, and again after the next provision', () => {
  const history = createHistory(() => 0);
  const [one, other] = [about('POST', 'chat/completions'), about('POST', 'invoke')];
  history.sent(one);
  expect(history.firstPrompt('i', one.send)).toBe(true);
  history.sent(other);
  expect(history.firstPrompt('i', other.send)).toBe(false);
  history.answered(about('POST', 'provision'), 202);
  history.sent(other);
  expect(history.firstPrompt('i', other.send)).toBe(true);
});

test('an intern may get ready for some seconds from its first prompt on, until it has taken one', () => {
  let now = 5_000;
  const history = createHistory(() => now);
  const prompt = () => about('POST', 'chat/completions');
  expect(history.mayGetReady('i')).toBe(false);
  history.sent(prompt());
  now += 9_000;
  history.sent(prompt());
  expect(history.mayGetReady('i')).toBe(true);
  now += 1_000;
  expect(history.mayGetReady('i')).toBe(false);
  history.answered(about('POST', 'provision'), 202);
  history.sent(prompt());
  expect(history.mayGetReady('i')).toBe(true);
  history.answered(prompt(), 200);
  expect(history.mayGetReady('i')).toBe(false);
});

test('one that a gateway answered may not have come to the intern: the next may be the first', () => {
  const history = createHistory(() => 0);
  const [lost, next] = [about('POST', 'chat/completions'), about('POST', 'chat/completions')];
  history.sent(lost);
  history.answered(lost, 503);
  history.sent(next);
  expect(history.firstPrompt('i', next.send)).toBe(true);
});

test('an answer to a question is no prompt: refused, it is not sent again', () => {
  const history = createHistory(() => 0);
  const answer = about('POST', 'chat/completions', {
    json: { messages: [{ role: 'assistant' }, { role: 'tool', tool_call_id: 'c', content: 'yes' }], session_id: 's' },
  });
  history.sent(answer);
  expect(history.firstPrompt('i', answer.send)).toBe(false);
});

test('an intern is engaged by an invoke and by a question, until that was answered or the intern was suspended', () => {
  let now = 5;
  const history = createHistory(() => now);
  history.asked('i');
  expect(history.engagedSince('i')).toBe(5);
  history.named('i');
  expect(history.engagedSince('i')).toBeUndefined();
  now = 7;
  history.answered(about('POST', 'invoke'), 202);
  expect(history.engagedSince('i')).toBe(7);
  history.answered(about('POST', 'suspend'), 200);
  expect(history.engagedSince('i')).toBeUndefined();
});

test('what was refused changed nothing, and a write counts from its answer', () => {
  let now = 1;
  const history = createHistory(() => now);
  history.answered(about('PATCH'), 409);
  expect(history.wrote('i')).toBe(Number.NEGATIVE_INFINITY);
  now = 9;
  history.answered(about('DELETE'), 202);
  expect([history.wrote('i'), history.wrote(), history.deleted('i')]).toEqual([9, 9, true]);
});

test('a credential is shut by a 401 that it is sent with as ever, and open again by any other answer', () => {
  const history = createHistory(() => 0);
  const read = about('GET', '', { as: 'oauth_token' });
  history.answered(about('GET', '', { as: 'oauth_token', present: () => ({}) }), 401);
  expect(history.shut()).toEqual([]);
  history.answered(read, 200);
  history.answered(read, 401);
  expect(history.shut()).toEqual([{ name: 'oauth_token', opened: read.send }]);
  history.answered(read, 404);
  expect(history.shut()).toEqual([]);
});
