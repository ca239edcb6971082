import { expect, test } from 'vitest';
import { createStatusWords } from './status-words.js';

const shown = (words: ReturnType<typeof createStatusWords>, id: string, status: string) => {
  const record = { id, status };
  words.read(record);
  return record.status;
};

test('published words stay as they are', () => {
  const words = createStatusWords();
  words.done('one', 'boot');
  expect(shown(words, 'one', 'stopped')).toBe('stopped');
  expect(words.unsure('one')).toBe(false);
  expect(words.own()).toEqual([]);
  expect(words.address('http://x/interns?status=running')).toBe('http://x/interns?status=running');
});

test('a word means what the last write has the intern do', () => {
  const words = createStatusWords();
  words.done('one', 'create');
  expect(shown(words, 'one', 'asleep')).toBe('stopped');
  words.done('one', 'provision');
  expect(shown(words, 'one', 'booting')).toBe('provisioning');
  expect(words.unsure('one')).toBe(true);
  words.done('one', '');
  expect(shown(words, 'one', 'removing')).toBe('destroying');
  expect(words.own()).toEqual(['asleep', 'booting', 'removing']);
});

test('the word shown while prompts are taken means that the intern runs, until it is shown with another', () => {
  const words = createStatusWords();
  words.done('one', 'boot');
  expect(shown(words, 'one', 'ready')).toBe('provisioning');
  words.runs('one');
  expect(shown(words, 'one', 'ready')).toBe('running');
  words.done('one', 'suspend');
  expect(shown(words, 'one', 'ready')).toBe('running');
  expect(shown(words, 'one', 'asleep')).toBe('stopped');
  words.done('one', 'provision');
  expect(shown(words, 'one', 'asleep')).toBe('provisioning');
  expect(shown(words, 'one', 'ready')).toBe('running');
  expect(shown(words, 'one', 'asleep')).toBe('stopped');
});

test('an intern that runs though nobody had it boot tells of the words of those that are created', () => {
  const words = createStatusWords();
  words.done('one', 'create');
  expect(shown(words, 'one', 'booting')).toBe('stopped');
  expect(shown(words, 'one', 'ready')).toBe('stopped');
  words.runs('one');
  expect(shown(words, 'one', 'ready')).toBe('running');
  words.done('two', 'create');
  expect(shown(words, 'two', 'booting')).toBe('provisioning');
});

test('after a write that a gateway answered a word is not learnt', () => {
  const words = createStatusWords();
  const learn = (method: string, status: number, json: unknown, rest = '') => {
    words.sees({ send: { method, path: '/interns/one' }, id: 'one', rest }, status, json, undefined);
    return json;
  };
  learn('POST', 202, {}, 'suspend');
  learn('DELETE', 504, undefined);
  expect(learn('GET', 200, { id: 'one', status: 'removing' })).toEqual({ id: 'one', status: 'removing' });
  learn('DELETE', 202, {});
  expect(learn('GET', 200, { id: 'one', status: 'removing' })).toEqual({ id: 'one', status: 'destroying' });
});

test('of an intern of others a word says nothing', () => {
  expect(shown(createStatusWords(), 'one', 'busy')).toBe('busy');
});

test('the filter of a list has the words of the deployment', () => {
  const words = createStatusWords();
  words.done('one', 'create');
  shown(words, 'one', 'fast asleep');
  expect(words.address('http://x/interns?limit=1&status=queued%2Cstopped&x=1')).toBe(
    'http://x/interns?limit=1&status=queued%2Cfast%20asleep&x=1',
  );
});

test('the filter of a list has every word that means the same', () => {
  const words = createStatusWords();
  for (const [id, word] of [
    ['one', 'asleep'],
    ['two', 'broken'],
  ] as const) {
    words.done(id, 'suspend');
    expect(shown(words, id, word)).toBe('stopped');
  }
  expect(words.address('http://x/interns?status=stopped')).toBe('http://x/interns?status=asleep%2Cbroken');
});

test('a word that only those are shown with that do not come up means that their boot has failed', () => {
  const words = createStatusWords();
  const boots = (id: string, ...shows: string[]) => {
    words.done(id, 'boot');
    return shows.map((status) => shown(words, id, status));
  };
  boots('one', 'booting', 'broken');
  words.hangs('one');
  // As long as none has come up, it may be the word for a boot.
  expect(shown(words, 'one', 'broken')).toBe('provisioning');
  boots('two', 'booting');
  words.hangs('two');
  boots('three', 'booting', 'ready');
  words.runs('three');
  expect(shown(words, 'one', 'broken')).toBe('failed');
  expect(words.unsure('one')).toBe(false);
  expect(boots('four', 'booting', 'ready')).toEqual(['provisioning', 'running']);
  expect(words.address('http://x/interns?status=failed')).toBe('http://x/interns?status=broken');
});

test('a word that an intern is shown with while a write to it is under way is not learned', () => {
  const words = createStatusWords();
  words.done('a', 'create');
  words.sent('a');
  const during = { id: 'a', status: 'removing' };
  words.read(during);
  expect(during.status).toBe('stopped');
  words.answered('a');
  words.done('a', '');
  const after = { id: 'a', status: 'removing' };
  words.read(after);
  expect(after.status).toBe('destroying');
});

test('a published word is asked for beside another of the same meaning, once it was shown', () => {
  const words = createStatusWords();
  words.done('one', 'suspend');
  expect(shown(words, 'one', 'suspending')).toBe('stopped');
  expect(words.address('http://x/interns?status=stopped')).toBe('http://x/interns?status=suspending');
  expect(shown(words, 'one', 'stopped')).toBe('stopped');
  expect(words.address('http://x/interns?status=stopped')).toBe('http://x/interns?status=suspending%2Cstopped');
});
