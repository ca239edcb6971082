import { describe, expect, test } from 'vitest';
import { createOwnership } from '../model/ownership.js';
import type { Answer } from '../probe/client.js';
import type { Send } from '../probe/request.js';
import { cleanUp } from './cleanup.js';
import { onlyOwn } from './guard.js';
import { createLedger } from './ledger.js';

const BASE = 'https://service.test/api/v1';
const GROUP = '0d000000-0000-4000-8000-000000000003';
const MAPPING = '0c000000-0000-4000-8000-00000000000a';

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
    const entries = paths.map((path) => ({ event: 'stored', path, as: 'api_key' }) as const);
    const own = createOwnership({ ledger: createLedger(undefined, entries), prefix: 'kabcd-' });
    const sent: string[] = [];
    const result = await cleanUp({
      group: GROUP,
      own,
      atOnce: 1,
      async send(send) {
        sent.push(`${send.method ?? 'GET'} ${send.path}`);
        return target(send);
      },
      pause: async () => false,
    });
    return { sent, failed: result.failed, left: own.stored() };
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
