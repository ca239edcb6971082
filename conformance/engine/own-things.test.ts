import { describe, expect, test } from 'vitest';
import type { Answer } from '../probe/client.js';
import type { Send } from '../probe/request.js';
import { cleanUp } from './cleanup.js';
import { createLedger } from './ledger.js';
import { onlyOwn } from './only-own.js';
import { createOwnInterns } from './own-interns.js';

const BASE = 'https://service.test/api/v1';
const GROUP = '0d000000-0000-4000-8000-000000000003';
const MAPPING = '0c000000-0000-4000-8000-00000000000a';

/** What happens to a write, and what the ledger has then. */
function run(options: { alone?: boolean; group?: string; syncs?: boolean } = { group: GROUP }) {
  const ledger = createLedger();
  const own = createOwnInterns({ ledger, prefix: 'kabcd-', ...options });
  const leaves = (method: string, path: string, body?: unknown) =>
    own.leaves({ method, url: `${BASE}${path}`, body, as: 'api_key' }).kind;
  return { ledger, own, leaves, stored: () => ledger.stored().map(({ path }) => path) };
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
    own.leaves({ method: 'POST', url: `${BASE}/interns`, body: { name: 'kabcd-1' }, as: 'api_key' });
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
    const { own, leaves, stored } = run();
    expect(leaves('POST', '/scim/group-mappings', body(GROUP.toUpperCase()))).toBe('free');
    expect(leaves('DELETE', `/scim/group-mappings/${MAPPING}`)).toBe('refused');
    own.shows(`${BASE}/scim/group-mappings`, { data: { id: MAPPING, ...body(GROUP) } });
    expect(leaves('DELETE', `/scim/group-mappings/${MAPPING}?keep_members=true`)).toBe('free');
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
    const { own, leaves } = run();
    own.shows(`${BASE}/scim/group-mappings`, { data: [{ id: MAPPING, ...body(GROUP) }] });
    own.shows(`${BASE}/scim/group-mappings/${MAPPING}`, { data: { id: MAPPING, ...body(GROUP) } });
    expect(leaves('DELETE', `/scim/group-mappings/${MAPPING}`)).toBe('refused');
  });
});

describe('the clean-up', () => {
  const answer = (status: number, json?: unknown): Answer => ({
    status,
    headers: new Headers(),
    bytes: new Uint8Array(),
    text: '',
    json,
    exchange: 1,
  });
  const after = async (paths: readonly string[], target: (send: Send) => Answer) => {
    const ledger = createLedger();
    for (const path of paths) ledger.write({ event: 'stored', path, as: 'api_key' });
    const sent: string[] = [];
    const result = await cleanUp({
      ledger,
      group: GROUP,
      own: createOwnInterns({ ledger, prefix: 'kabcd-' }),
      atOnce: 1,
      async send(send) {
        sent.push(`${send.method ?? 'GET'} ${send.path}`);
        return target(send);
      },
      pause: async () => false,
    });
    return { sent, failed: result.failed, left: ledger.stored() };
  };

  test('deletes secrets; one that is gone already is no leftover', async () => {
    const { sent, failed, left } = await after(['/vault/secrets/kabcd_1', '/vault/secrets/kabcd_2'], ({ path }) =>
      answer(path?.endsWith('1') === true ? 204 : 404),
    );
    expect(sent).toEqual(['DELETE /vault/secrets/kabcd_1', 'DELETE /vault/secrets/kabcd_2']);
    expect([failed, left]).toEqual([[], []]);
  });

  test('says which secret stays, and why', async () => {
    const path = '/vault/secrets/kabcd_1';
    const { failed, left } = await after([path], () => answer(503));
    expect(failed).toEqual([{ id: path, name: path, because: { kind: 'refused', request: 'DELETE', status: 503 } }]);
    expect(left).toHaveLength(1);
  });

  test('deletes a mapping only once it was read to be of the group that was named', async () => {
    const path = `/scim/group-mappings/${MAPPING}`;
    const of = (group: string) => after([path], () => answer(200, { data: { id: MAPPING, scim_group_id: group } }));
    expect((await of(GROUP)).sent).toEqual([`GET ${path}`, `DELETE ${path}`]);
    const other = await of('0d000000-0000-4000-8000-000000000001');
    expect(other.sent).toEqual([`GET ${path}`]);
    expect(other.failed).toHaveLength(1);
  });
});

describe('of a list that shows others’ things the kit sees its own alone', () => {
  const marks = { prefix: 'kabcd_', group: GROUP, mapping: MAPPING };
  const seen = async (path: string, body: string, init: RequestInit = {}, status = 200) =>
    (await onlyOwn(new Request(`${BASE}${path}`, init), new Response(body, { status }), marks)).text();

  test('secrets by their names, groups and mappings by what was named', async () => {
    const secrets = { data: [{ name: 'theirs' }, { name: 'kabcd_1' }], has_more: true };
    expect(JSON.parse(await seen('/vault/secrets?limit=5', JSON.stringify(secrets)))).toEqual({
      data: [{ name: 'kabcd_1' }],
      has_more: true,
    });
    const groups = {
      data: [
        { id: GROUP, display_name: 'Kit' },
        { id: 'x', display_name: 'Board' },
      ],
      total_count: 2,
    };
    expect(await seen('/scim/groups', JSON.stringify(groups))).not.toContain('Board');
    const mappings = { data: [{ id: MAPPING }, { id: 'x', scim_group_id: 'y' }, { id: 'z', scim_group_id: GROUP }] };
    expect(JSON.parse(await seen('/scim/group-mappings/', JSON.stringify(mappings)))).toEqual({
      data: [{ id: MAPPING }, { id: 'z', scim_group_id: GROUP }],
    });
  });

  test.each([
    ['[{"name":"theirs"}]'],
    ['{"secrets":[{"name":"theirs"}]}'],
    ['{"data":["theirs"],"has_more":false}'],
    ['{"data":{"name":"theirs"}}'],
    ['theirs'],
  ])('of another form than a list, nothing is learnt: %s', async (body) => {
    expect(await seen('/vault//secrets', body)).not.toContain('theirs');
  });

  test('anything else is as it was answered', async () => {
    const body = '{"data":[{"name":"theirs"}]}';
    expect(await seen('/vault/interns/i1/secrets', body)).toBe(body);
    expect(await seen('/vault/secrets', body, { method: 'POST' })).toBe(body);
    expect(await seen('/vault/secrets', '{"error":{"code":404}}', {}, 404)).toContain('404');
  });
});
