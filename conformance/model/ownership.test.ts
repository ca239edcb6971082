import { describe, expect, test } from 'vitest';
import { PROFILES } from '../../emulator/contract/profile.js';
import type { Send } from '../probe/request.js';
import { askedBy } from '../run/exchange-of.js';
import { createLedger } from '../run/ledger.js';
import { type CreateOutcome, createOwnership, isPlainId } from './ownership.js';

const PREFIX = 'kabcd-';
const leaving = (method: string, path: string, body?: unknown) => {
  const raw = typeof body === 'string' || body instanceof Uint8Array || Array.isArray(body);
  const send: Send = { method, path, ...(raw ? { body: body as string } : { json: body }) };
  return askedBy(send, { baseUrl: 'https://x.test/api/v1', profile: PROFILES.svc });
};

/** The things of a run with what it takes to speak of them in short. */
function registry(more: Partial<Parameters<typeof createOwnership>[0]> = {}) {
  const own = createOwnership({ ledger: createLedger(), prefix: PREFIX, ...more });
  let number = 0;
  /** A request leaves, where it may. */
  const asks = (method: string, path: string, body?: unknown, key?: string) => {
    const request = leaving(method, path, body);
    const permit = own.permits(request);
    if (permit.kind !== 'refused') own.asks(++number, request, key);
    return permit;
  };
  const answers = (path: string, status: number, json: unknown) => own.sees({ number, path, status, json });
  const create = (
    body: unknown,
    answer: unknown,
    { key, status = 201 }: { key?: string; status?: number } = {},
  ): CreateOutcome => {
    expect(asks('POST', '/interns', body, key).kind).toBe('free');
    const given = answers('/interns', status, answer);
    if (given === undefined) throw new Error('not taken for a create');
    return given;
  };
  const writes = (id: string, method = 'DELETE') => asks(method, `/interns/${encodeURIComponent(id)}`);
  const shows = (path: string, json: unknown) => {
    number++;
    answers(path, 200, json);
  };
  const lists = (...data: unknown[]) => shows('/interns', { data });
  const reads = (id: string, record: unknown) => shows(`/interns/${id}`, record);
  return { own, asks, create, writes, shows, lists, reads };
}
const because = (given: CreateOutcome) => (given.kind === 'not own' ? given.because : given.kind);

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
    const { create, own, writes } = registry();
    expect(create({ name: 'kabcd-1' }, { id: 'i1', name: 'kabcd-1' })).toEqual({ kind: 'own', id: 'i1' });
    expect(own.open()).toEqual([{ id: 'i1', name: 'kabcd-1', as: 'api_key' }]);
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
    const { create, own, writes } = registry();
    expect(because(create({ name: 'kabcd-1' }, answer))).toBe(why);
    expect(own.open()).toEqual([]);
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
    const { asks, create, lists } = registry();
    asks('POST', '/interns', { name: 'kabcd-1' }, 'key');
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
    expect(registry().asks(method, path).kind).toBe('free');
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
    expect(made().asks(method, path).kind).toBe('refused');
  });

  test('to an id that the kit made up, until something shows that somebody has it', () => {
    const { own, writes, lists } = registry();
    own.madeUp('nobody');
    expect(writes('nobody').kind).toBe('free');
    lists({ id: 'nobody', name: 'victim' });
    expect(writes('nobody').kind).toBe('refused');
  });

  test('to an intern that was lent to it for a proof alone', () => {
    const { asks } = registry({ lent: 'lent' });
    expect(asks('POST', '/interns/lent/daemon/sign').kind).toBe('free');
    expect(asks('POST', '/interns/lent/invoke').kind).toBe('refused');
    expect(asks('POST', '/interns/other/daemon/sign').kind).toBe('refused');
  });

  test('to all interns only where the run has the target to itself', () => {
    expect(registry({ alone: true }).asks('DELETE', '/interns').kind).toBe('free');
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
    const { asks, reads, writes } = made();
    reads('i1', { id: 'i1', name: 'kabcd-1' });
    expect(asks('PATCH', '/interns/i1', { name: 'no name of the kit' }).kind).toBe('own');
    reads('i1', { id: 'i1', name: 'no name of the kit' });
    expect(writes('i1').kind).toBe('own');
    reads('i1', { id: 'i1', name: 'kept' });
    expect(writes('i1')).toMatchObject({ kind: 'refused', refusal: { because: 'renamed', name: 'kept' } });
  });
});

describe('what is found without its create', () => {
  test('is adopted by the beginning of its name, unless it was shown under another', () => {
    const { own, lists } = registry();
    expect(own.adopts({ id: 'i1', name: 'kabcd-7' }, 'api_key')).toBe(true);
    expect(own.adopts({ id: 'i2', name: 'victim' }, 'api_key')).toBe(false);
    expect(own.adopts({ id: '../i3', name: 'kabcd-8' }, 'api_key')).toBe(false);
    lists({ id: 'i4', name: 'victim' });
    expect(own.adopts({ id: 'i4', name: 'kabcd-9' }, 'api_key')).toBe(false);
    expect(own.open().map(({ id }) => id)).toEqual(['i1']);
  });

  test('in a ledger of an earlier run proves no name: it must be read', () => {
    const ledger = createLedger(undefined, [
      { event: 'created', id: 'i1', name: 'victim', as: 'api_key' },
      { event: 'created', id: 'a/../b', name: 'kabcd-1', as: 'api_key' },
    ]);
    const own = createOwnership({ ledger, prefix: PREFIX });
    expect(own.bears('i1', 'victim')).toBe(false);
    expect(own.bears('i1', 'kabcd-1')).toBe(true);
    const deletes = (id: string) => own.permits(leaving('DELETE', `/interns/${encodeURIComponent(id)}`));
    expect(deletes('i1')).toMatchObject({ kind: 'own', unread: true });
    expect(deletes('a/../b').kind).toBe('refused');
  });
});

const GROUP = '0d000000-0000-4000-8000-000000000003';
const MAPPING = '0c000000-0000-4000-8000-00000000000a';

/** The fate of a write, and the ledger's entry for it. */
function run(options: { alone?: boolean; group?: string; syncs?: boolean } = { group: GROUP }) {
  const { asks, own, shows } = registry(options);
  const leaves = (...request: Parameters<typeof asks>) => asks(...request).kind.replace('own', 'free');
  return { own, shows, leaves, stored: () => own.stored().map(({ path }) => path) };
}

describe('a secret of the workspace is written under a name of the run alone', () => {
  test('its name bears the prefix, in whatever case, and stands in the ledger before it is stored', () => {
    const { leaves, stored } = run();
    for (const name of ['kabcd_1', '1kabcd_1', 'KABCD_1', 'kabcd_1%C3%A9']) {
      expect(leaves('PUT', `/vault/secrets/${name}`)).toBe('free');
      expect(leaves('DELETE', `/vault/secrets/${name}`)).toBe('free');
    }
    expect(stored()).toHaveLength(4);
    expect(stored()).toContain('/vault/secrets/kabcd_1');
  });

  test.each([
    ['PUT', '/vault/secrets/github_token'],
    ['DELETE', '/vault/secrets/github_token'],
    ['DELETE', '/vault/secrets/'],
    ['DELETE', '/vault/secrets'],
    ['DELETE', '/VAULT//Secrets/github_token'],
    ['PUT', '/vault/x/../secrets/github_token'],
    ['DELETE', '/vault/secrets/%67ithub_token'],
  ])('%s %s does not leave', (method, path) => {
    const { leaves, stored } = run();
    expect(leaves(method, path)).toBe('refused');
    expect(stored()).toEqual([]);
  });

  test('reads leave, and where nobody else is, every name does', () => {
    expect(run().leaves('GET', '/vault/secrets')).toBe('free');
    expect(run({ alone: true }).leaves('PUT', '/vault/secrets/legacy_token')).toBe('free');
  });

  test('only secrets of the run are copied', () => {
    const { own, leaves } = run();
    leaves('POST', '/interns', { name: 'kabcd-1' });
    const made = own.madeUp('i1');
    expect(leaves('POST', `/vault/interns/${made}/secrets/copy`, { names: ['kabcd_1'] })).toBe('free');
    expect(leaves('POST', `/vault/interns/${made}/secrets/copy`, { names: ['kabcd_1', 'theirs'] })).toBe('refused');
  });

  test('the vault of an intern that the run has not made is left alone', () => {
    expect(run().leaves('PUT', '/vault/interns/theirs/secrets/kabcd_1')).toBe('refused');
  });
});

describe('mappings are written for the group that was named to the run alone', () => {
  const body = (scim_group_id: unknown) => ({ scim_group_id, workspace_id: 'w', role: 'member' });

  test('a create names the group; the mapping that it answers is the run’s', () => {
    const { shows, leaves, stored } = run();
    expect(leaves('POST', '/scim/group-mappings', body(GROUP.toUpperCase()))).toBe('free');
    expect(leaves('DELETE', `/scim/group-mappings/${MAPPING}`)).toBe('refused');
    shows('/scim/group-mappings', { data: { id: MAPPING, ...body(GROUP) } });
    expect(leaves('DELETE', `/scim/group-mappings/${MAPPING}`)).toBe('free');
    expect(stored()).toEqual([`/scim/group-mappings/${MAPPING}`]);
  });

  test.each([
    ['POST', '/scim/group-mappings', body('0d000000-0000-4000-8000-000000000001')],
    ['POST', '/scim/group-mappings', undefined],
    ['PATCH', `/scim/group-mappings/${MAPPING}`, { role: 'admin' }],
    ['DELETE', `/scim/group-mappings/${MAPPING}`, undefined],
    ['POST', '/scim/sync-jobs', undefined],
    ['PUT', '/scim/anything', undefined],
  ])('%s %s %j does not leave', (method, path, sent) => {
    expect(run().leaves(method, path, sent)).toBe('refused');
    expect(run({}).leaves(method, path, sent)).toBe('refused');
    expect(run({ alone: true }).leaves(method, path, sent)).toBe('free');
  });

  test('a sync of the directory leaves by leave, and nothing else of it', () => {
    const { leaves } = run({ syncs: true });
    expect(leaves('POST', '/scim/sync-jobs')).toBe('free');
    expect(leaves('DELETE', '/scim/sync-jobs')).toBe('refused');
    expect(leaves('POST', '/scim/group-mappings')).toBe('refused');
  });

  test('a mapping that a list or a read shows is not the run’s', () => {
    const { shows, leaves } = run();
    shows('/scim/group-mappings', { data: [{ id: MAPPING, ...body(GROUP) }] });
    shows(`/scim/group-mappings/${MAPPING}`, { data: { id: MAPPING, ...body(GROUP) } });
    expect(leaves('DELETE', `/scim/group-mappings/${MAPPING}`)).toBe('refused');
  });
});
