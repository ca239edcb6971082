import { expect, test } from 'vitest';
import type { Intern } from '../../emulator/contract/intern.js';
import { createConditions } from './conditions.js';
import { createPool, kept, takeBack } from './pool.js';

const record = (id: string, status: string) => ({ id, name: id, status }) as Intern;

const to = (method: string, rest: string, json?: unknown) => ({ send: { method, path: '', json }, id: 'one', rest });

function made(state: 'stopped' | 'booting' | 'running' = 'stopped') {
  const conditions = createConditions(() => 0);
  conditions.made(record('one', state === 'booting' ? 'provisioning' : state), state);
  return conditions;
}

test.each([
  ['provision', 'POST', undefined, 'booting'],
  ['suspend', 'POST', undefined, 'stopped'],
  ['', 'PATCH', { description: 'new' }, 'stopped'],
  ['chat/completions', 'POST', {}, 'stopped'],
  ['daemon/sign', 'POST', {}, 'stopped'],
])('after %s (%s) it serves another check', (rest, method, body, state) => {
  const conditions = made();
  conditions.done(to(method, rest, body));
  expect(conditions.of('one')?.state).toBe(state);
});

test.each([
  ['its instructions', 'PATCH', '', { instructions: 'script: silent' }],
  ['its name', 'PATCH', '', { name: 'new' }],
  ['its model', 'PATCH', '', { model: 'a/b' }],
  ['what nobody can tell', 'PATCH', '', undefined],
  ['its life', 'DELETE', '', undefined],
  ['something unknown', 'POST', 'restart', undefined],
])('one that lost %s serves nobody', (_, method, rest, body) => {
  const conditions = made();
  conditions.done(to(method, rest, body));
  expect(conditions.of('one')).toBeUndefined();
});

test.each([
  ['running', 'running'],
  ['provisioning', 'booting'],
  ['stopped', 'stopped'],
  ['queued', 'stopped'],
])('a read that tells %s is taken as %s', (status, state) => {
  const conditions = made();
  conditions.seen({ ...record('one', status), description: 'seen' });
  expect(conditions.of('one')).toMatchObject({ state, record: { status, description: 'seen' } });
});

test('one that still runs after its suspend serves nobody', () => {
  const conditions = made('running');
  conditions.done(to('POST', 'suspend'));
  expect(conditions.of('one')).toMatchObject({ state: 'stopped', record: { status: 'running' } });
  conditions.seen(record('one', 'running'));
  expect(conditions.of('one')).toBeUndefined();
});

test.each(['failed', 'destroying', 'destroy_failed', 'what comes after'])('one that is %s serves nobody', (status) => {
  const conditions = made();
  conditions.seen(record('one', status));
  expect(conditions.of('one')).toBeUndefined();
});

test('what a run has not made itself it knows nothing of', () => {
  const conditions = made();
  conditions.seen(record('another', 'running'));
  expect(conditions.of('another')).toBeUndefined();
});

test('taken back it is kept for others, with its latest record, until it was used often', () => {
  const conditions = made();
  conditions.seen({ ...record('one', 'running'), description: 'seen' } as Intern);
  const pool = createPool();
  takeBack(pool, ['one', 'unknown'], conditions);
  takeBack(pool, ['one'], conditions);
  expect(pool.unused.running).toEqual([expect.objectContaining({ id: 'one', description: 'seen' })]);
  expect(kept(pool)).toEqual(new Set(['one']));
  for (let uses = 0; uses < 12; uses++) {
    pool.unused.running = [];
    takeBack(pool, ['one'], conditions);
  }
  expect(pool.unused.running).toEqual([]);
});

test('of two writes at once nobody can tell which was taken first, so it serves nobody', () => {
  const conditions = made('running');
  conditions.sent(to('POST', 'suspend'));
  conditions.sent(to('POST', 'provision'));
  conditions.answered(to('GET', ''));
  conditions.done(to('POST', 'provision'));
  conditions.answered(to('GET', ''));
  conditions.done(to('POST', 'suspend'));
  expect(conditions.of('one')).toBeUndefined();
});

test('nor does one that was read while a write was under way, whose read may be the older', () => {
  const conditions = made('stopped');
  conditions.sent(to('GET', ''));
  conditions.sent(to('POST', 'provision'));
  conditions.answered(to('GET', ''));
  conditions.done(to('POST', 'provision'));
  conditions.answered(to('GET', ''));
  conditions.seen(record('one', 'stopped'));
  expect(conditions.of('one')).toBeUndefined();
});

test('nor one of whose write no answer came', () => {
  const conditions = made('running');
  conditions.sent(to('POST', 'suspend'));
  conditions.lost(to('POST', 'suspend'));
  expect(conditions.of('one')).toBeUndefined();
});

test('requests one after the other, reads and talk at once leave it as it is known', () => {
  const conditions = made('running');
  conditions.sent(to('POST', 'chat/completions'));
  conditions.sent(to('GET', ''));
  conditions.answered(to('GET', ''));
  conditions.lost(to('POST', 'chat/completions'));
  conditions.sent(to('POST', 'suspend'));
  conditions.answered(to('GET', ''));
  conditions.done(to('POST', 'suspend'));
  expect(conditions.of('one')?.state).toBe('stopped');
});

test('that it went by itself is remembered though it is provisioned again, until another check has it', () => {
  const conditions = made('running');
  conditions.seen(record('one', 'running'));
  conditions.seen(record('one', 'stopped'));
  conditions.done(to('POST', 'provision'));
  expect(conditions.went('one')?.status).toBe('stopped');
  conditions.handed('one');
  expect(conditions.went('one')).toBeUndefined();
  expect(conditions.mayHaveStopped('another')).toBe(true);
});

test('one that ran is in doubt after a finding, until it is read again', () => {
  const conditions = made('running');
  conditions.seen(record('one', 'running'));
  expect(conditions.mayHaveStopped('one')).toBe(false);
  conditions.doubt();
  expect(conditions.mayHaveStopped('one')).toBe(true);
  conditions.seen(record('one', 'running'));
  expect(conditions.mayHaveStopped('one')).toBe(false);
});
