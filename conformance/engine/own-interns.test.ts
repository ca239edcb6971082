import { describe, expect, test } from 'vitest';
import { createLedger } from './ledger.js';
import { createOwnInterns, isPlainId, type Leaving, type Made } from './own-interns.js';

const BASE = 'https://service.test/api/v1';
const PREFIX = 'kabcd-';
const leaving = (method: string, path: string, body?: unknown, key?: string): Leaving => ({
  method,
  url: `${BASE}${path}`,
  body,
  as: 'api_key',
  key,
});

/** A registry with what it takes to speak of it in short. */
function registry(more: Partial<Parameters<typeof createOwnInterns>[0]> = {}) {
  const ledger = createLedger();
  const own = createOwnInterns({ ledger, prefix: PREFIX, ...more });
  const create = (
    body: unknown,
    answer: unknown,
    { key, status = 201 }: { key?: string; status?: number } = {},
  ): Made => {
    const permit = own.leaves(leaving('POST', '/interns', body, key));
    if (permit.kind !== 'create') throw new Error(permit.kind);
    return own.answered(permit.asked, status, answer);
  };
  const writes = (id: string, method = 'DELETE') => own.leaves(leaving(method, `/interns/${encodeURIComponent(id)}`));
  const lists = (...data: unknown[]) => own.shows(`${BASE}/interns?limit=5`, { data });
  const reads = (id: string, record: unknown) => own.shows(`${BASE}/interns/${id}`, record);
  return { ledger, own, create, writes, lists, reads };
}
const because = (made: Made) => (made.kind === 'not own' ? made.because : made.kind);

describe('an id is plain', () => {
  test.each(['9b2f3c1e-0000-4000-8000-000000000000', 'int_01HX', 'a', 'a.b', 'a:b', '~1', 'x'.repeat(255)])(
    '%s',
    (id) => expect(isPlainId(id)).toBe(true),
  );
  test.each([
    '',
    '.',
    '..',
    '.a',
    'a/b',
    '../a',
    'a?b',
    'a#b',
    'a%2fb',
    '%2e%2e',
    'a\\b',
    'a b',
    'a\n',
    'é',
    'x'.repeat(256),
    7,
    null,
    {},
    ['a'],
  ])('not as %j', (id) => expect(isPlainId(id)).toBe(false));
});

describe('an intern is the run’s own', () => {
  test('where a create answers it under the name that was asked for', () => {
    const { create, ledger, writes } = registry();
    expect(create({ name: 'kabcd-1' }, { id: 'i1', name: 'kabcd-1' })).toEqual({ kind: 'own', id: 'i1' });
    expect(ledger.open()).toEqual([{ id: 'i1', name: 'kabcd-1', as: 'api_key' }]);
    expect(writes('i1').kind).toBe('own');
  });

  test.each([
    ['as text', '{"name":"kabcd-1"}'],
    ['as bytes', new TextEncoder().encode('{"name":"kabcd-1"}')],
    ['as chunks', [new TextEncoder().encode('{"name":'), new TextEncoder().encode('"kabcd-1"}')]],
    ['as JSON that breaks off', '{"name":"kabcd-1",'],
  ])('where the name was sent %s', (_, body) => {
    expect(because(registry().create(body, { id: 'i1', name: 'kabcd-1' }))).toBe('own');
  });

  test.each([
    ['another name', { id: 'i1', name: 'victim' }],
    ['another name', { id: 'i1' }],
    ['no plain id', { id: '../i1', name: 'kabcd-1' }],
    ['no plain id', { id: 7, name: 'kabcd-1' }],
    ['nothing', { name: 'kabcd-1' }],
    ['nothing', { id: null, name: 'kabcd-1' }],
    ['nothing', [{ id: 'i1', name: 'kabcd-1' }]],
    ['nothing', undefined],
  ])('not where it has %s: %j', (why, answer) => {
    const { create, ledger, writes } = registry();
    expect(because(create({ name: 'kabcd-1' }, answer))).toBe(why);
    expect(ledger.open()).toEqual([]);
    expect(writes('i1').kind).toBe('refused');
  });

  test('not where it was refused', () => {
    expect(because(registry().create({ name: 'kabcd-1' }, { id: 'i1', name: 'kabcd-1' }, { status: 409 }))).toBe(
      'nothing',
    );
  });

  test.each(['i1', 'I1'])('not where a list has shown it before, as %s', (id) => {
    const { create, lists } = registry();
    lists({ id, name: 'victim' });
    expect(because(create({ name: 'kabcd-1' }, { id: 'i1', name: 'kabcd-1' }))).toBe('there before');
  });

  test('where a list has shown it only once its name was asked for: its answer was lost, or is late', () => {
    const { own, create, lists } = registry();
    own.leaves(leaving('POST', '/interns', { name: 'kabcd-1' }, 'key'));
    lists({ id: 'i1', name: 'kabcd-1' });
    expect(because(create({ name: 'kabcd-1' }, { id: 'i1', name: 'kabcd-1' }, { key: 'key' }))).toBe('own');
  });

  test('once, however often its create is sent again', () => {
    const { create, reads } = registry();
    create({ name: 'kabcd-1' }, { id: 'i1', name: 'kabcd-1' }, { key: 'key' });
    reads('i1', { id: 'i1', name: 'kabcd-1' });
    expect(because(create({ name: 'kabcd-1' }, { id: 'i1', name: 'kabcd-1' }))).toBe('again');
    expect(because(create({ name: 'kabcd-2' }, { id: 'i1', name: 'kabcd-1' }, { key: 'key' }))).toBe('again');
    expect(because(create({ name: 'kabcd-3' }, { id: 'i1', name: 'kabcd-3' }))).toBe('made for another create');
    expect(because(create({ name: 'kabcd-3' }, { id: 'i1', name: 'kabcd-1' }, { key: 'other' }))).toBe(
      'made for another create',
    );
  });
});

describe('a write leaves', () => {
  const made = (more = {}) => {
    const all = registry(more);
    all.create({ name: 'kabcd-1' }, { id: 'i1', name: 'kabcd-1' });
    return all;
  };

  test.each([
    ['GET', '/interns/victim'],
    ['HEAD', '/interns/victim'],
    ['OPTIONS', '/interns'],
    ['POST', '/elsewhere'],
  ])('%s %s, as it writes to no intern', (method, path) => {
    expect(registry().own.leaves(leaving(method, path)).kind).toBe('free');
  });

  test.each([
    ['DELETE', '/interns/victim'],
    ['POST', '/interns/victim/chat/completions'],
    ['POST', '/interns/victim/daemon/sign'],
    ['PATCH', '/interns/i1/../victim'],
    ['PATCH', '/interns/i1/%2e%2e/victim'],
    ['PATCH', '/interns/i1%2f..%2fvictim'],
    ['PATCH', '/interns//victim'],
    ['PATCH', '/INTERNS/victim'],
    ['PUT', '/vault/interns/victim/secrets/a'],
    ['PATCH', '/interns/%zz'],
    ['DELETE', '/interns'],
    ['PUT', '/interns/'],
    ['DELETE', '/interns/i1/..'],
  ])('not: %s %s', (method, path) => {
    expect(made().own.leaves(leaving(method, path)).kind).toBe('refused');
  });

  test('to an id that the kit made up, until something shows that somebody has it', () => {
    const { own, writes, lists } = registry();
    own.madeUp('nobody');
    expect(writes('nobody').kind).toBe('free');
    lists({ id: 'nobody', name: 'victim' });
    expect(writes('nobody').kind).toBe('refused');
  });

  test('to an intern that was lent to it for a proof alone', () => {
    const { own } = registry({ lent: 'lent' });
    expect(own.leaves(leaving('POST', '/interns/lent/daemon/sign')).kind).toBe('free');
    expect(own.leaves(leaving('POST', '/interns/lent/invoke')).kind).toBe('refused');
    expect(own.leaves(leaving('POST', '/interns/other/daemon/sign')).kind).toBe('refused');
  });

  test('to all interns only where the run has the target to itself', () => {
    expect(registry({ alone: true }).own.leaves(leaving('DELETE', '/interns')).kind).toBe('free');
  });

  test('unread until its own address has shown it, or a list while addresses lead where they should', () => {
    const { create, lists, reads, writes } = made();
    expect(writes('i1')).toMatchObject({ unread: true });
    lists({ id: 'i1', name: 'kabcd-1' });
    expect(writes('i1')).toMatchObject({ unread: true });
    create({ name: 'kabcd-2' }, { id: 'i2', name: 'kabcd-2' });
    reads('i2', { id: 'i2', name: 'kabcd-2' });
    expect(writes('i2')).toMatchObject({ unread: false });
    expect(writes('i1')).toMatchObject({ unread: false });
    create({ name: 'kabcd-3' }, { id: 'i3', name: 'kabcd-3' });
    reads('i3', { id: 'i9', name: 'victim' });
    expect(writes('i1')).toMatchObject({ unread: true });
    expect(writes('i3')).toMatchObject({ kind: 'refused', refusal: { because: 'reads as another', name: 'victim' } });
  });

  test('no more where somebody else has renamed it, and still where the run has', () => {
    const { own, reads, writes } = made();
    reads('i1', { id: 'i1', name: 'kabcd-1' });
    expect(own.leaves(leaving('PATCH', '/interns/i1', { name: 'no name of the kit' })).kind).toBe('own');
    reads('i1', { id: 'i1', name: 'no name of the kit' });
    expect(writes('i1').kind).toBe('own');
    reads('i1', { id: 'i1', name: 'kept' });
    expect(writes('i1')).toMatchObject({ kind: 'refused', refusal: { because: 'renamed', name: 'kept' } });
  });
});

describe('what is found without its create', () => {
  test('is adopted by the beginning of its name, unless it was shown under another', () => {
    const { own, lists, ledger } = registry();
    expect(own.adopts({ id: 'i1', name: 'kabcd-7' }, 'api_key')).toBe(true);
    expect(own.adopts({ id: 'i2', name: 'victim' }, 'api_key')).toBe(false);
    expect(own.adopts({ id: '../i3', name: 'kabcd-8' }, 'api_key')).toBe(false);
    lists({ id: 'i4', name: 'victim' });
    expect(own.adopts({ id: 'i4', name: 'kabcd-9' }, 'api_key')).toBe(false);
    expect(ledger.open().map(({ id }) => id)).toEqual(['i1']);
  });

  test('in a ledger of an earlier run proves no name: it must be read', () => {
    const ledger = createLedger();
    ledger.write({ event: 'created', id: 'i1', name: 'victim', as: 'api_key' });
    ledger.write({ event: 'created', id: 'a/../b', name: 'kabcd-1', as: 'api_key' });
    const own = createOwnInterns({ ledger, prefix: PREFIX });
    expect(own.bears('i1', 'victim')).toBe(false);
    expect(own.bears('i1', 'kabcd-1')).toBe(true);
    expect(own.leaves(leaving('DELETE', '/interns/i1'))).toMatchObject({ kind: 'own', unread: true });
    expect(own.leaves(leaving('DELETE', `/interns/${encodeURIComponent('a/../b')}`)).kind).toBe('refused');
  });
});
