import { expect, test } from 'vitest';
import { faultSchema } from '../contract/fault.js';
import { CHAOS, requestOf, sentenceOf } from './page/faults.js';

test.each(CHAOS)('the emulator takes each fault of $name', ({ faults }) => {
  for (const fault of faults) expect(faultSchema().safeParse(fault).success).toBe(true);
});

test('a disturbance is said in words', () => {
  expect(sentenceOf({ operation: 'chat', disturb: 'cut', nth: 3, write: 'content:2' })).toBe(
    'The next chat request meets cut at content:2, after 2 that go well.',
  );
  expect(sentenceOf({ operation: 'answer', disturb: 'withdrawn', state: 'asked' })).toBe(
    'The next answer meets withdrawn (asked).',
  );
});

test('a fault says which request meets it', () => {
  const of = (operation: string, intern_id?: string) =>
    requestOf({ operation, ...(intern_id === undefined ? {} : { intern_id }) }, () => 'first-intern');
  expect(of('create')).toBe('POST /interns');
  expect(of('chat')).toBe('POST /interns/{id}/chat/completions');
  expect(of('suspend', 'some-id')).toBe('POST /interns/first-intern/suspend');
  expect(of('answer')).toBe('POST /interns/{id}/chat/completions, with the answer to a question');
});
