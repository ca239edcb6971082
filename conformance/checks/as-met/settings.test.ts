import { expect, test } from 'vitest';
import { found, met, watchOf } from './met.harness.js';
import { SETTINGS_AS_MET } from './settings.js';

const watch = () => watchOf(SETTINGS_AS_MET, 'as-met/settings');
const at = '/interns/own-1';
const record = (more: object = {}) => ({
  id: 'own-1',
  name: 'one',
  status: 'stopped',
  description: 'first',
  instructions: null,
  model: null,
  ...more,
});
const created = met('POST', '/interns', 201, record());
const read = (more: object = {}) => met('GET', at, 200, record(more));
const update = (sent: object, status: number, more: object = {}) =>
  met('PATCH', at, status, status < 300 ? record(more) : { error: {} }, { json: sent });
const OF_READ = 'description of an intern';

test('every later record shows what was accepted last', () => {
  const second = { description: 'second' };
  expect(found(watch(), created, read(), update(second, 200, second), read(second))).toEqual([]);
  expect(found(watch(), created, read(second))).toEqual([OF_READ]);
  expect(found(watch(), created, met('GET', '/interns', 200, { data: [record(second)] }))).toEqual([
    'description of an intern',
  ]);
});

test('a refused update changes nothing', () => {
  const second = { description: 'second' };
  expect(found(watch(), created, update(second, 404), read())).toEqual([]);
  expect(found(watch(), created, update(second, 404), read(second))).toEqual([OF_READ]);
});

test('an update leaves what it does not name', () => {
  const other = { instructions: 'Be brief.' };
  expect(found(watch(), created, update(other, 200, { ...other, description: null }))).toEqual([
    'description of an intern',
  ]);
});

test('what an update came to that was not answered, or answered 5xx, nobody knows', () => {
  const second = { description: 'second' };
  expect(found(watch(), created, update(second, 503), read(second))).toEqual([]);
  const lost = watch();
  found(lost, created);
  lost.asks?.(update(second, 200));
  expect(found(lost, read(second))).toEqual([]);
});

test('of two updates at once nobody knows which came last', () => {
  const both = watch();
  found(both, created);
  const [one, other] = [update({ description: 'a' }, 200), update({ description: 'b' }, 200, { description: 'b' })];
  both.asks?.(one);
  both.asks?.(other);
  both.sees?.(one);
  both.sees?.(other);
  expect(found(both, read({ description: 'a' }), read({ description: 'a' }))).toEqual([]);
});

test('a model that was not chosen may be shown as that which the intern runs with, and a field be left out for null', () => {
  const { instructions: _, ...sparse } = record({ model: 'a/b' });
  expect(found(watch(), created, met('GET', at, 200, sparse))).toEqual([]);
});

test('a list may say less than a read', () => {
  const list = (row: object) => met('GET', '/interns', 200, { data: [row] });
  expect(found(watch(), created, list({ id: 'own-1', status: 'stopped' }))).toEqual([]);
  expect(found(watch(), created, list({ id: 'own-1', description: null }))).toEqual([OF_READ]);
});

test('interns of others are not judged', () => {
  const others = (more: object) => met('GET', '/interns/else', 200, { ...record(more), id: 'else' });
  expect(found(watch(), others({}), others({ description: 'second' }))).toEqual([]);
});

test('whose update was refused is seen once more, until its record is right', () => {
  const seen = watch();
  found(seen, created, update({ description: 'second' }, 404));
  expect([...(seen.unread ?? [])]).toEqual(['own-1']);
  found(seen, read({ description: 'second' }));
  expect([...(seen.unread ?? [])]).toEqual(['own-1']);
  found(seen, read());
  expect([...(seen.unread ?? [])]).toEqual([]);
});
