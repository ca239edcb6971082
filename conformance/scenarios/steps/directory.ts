import { isArray, isObject, ok } from '../../model/assert.js';
import { idAsShown } from '../../model/exchange.js';
import type { Answer } from '../../probe/client.js';
import type { Send } from '../../probe/request.js';
import type { Ctx, SendOptions } from '../../run/context.js';
import * as expect from '../../run/expect.js';

export const MAPPINGS = '/scim/group-mappings';
export const GROUPS = '/scim/groups';
export const JOBS = '/scim/sync-jobs';

export const NOT_FOUND = { status: 404, message: 'Resource not found', metadata: 'absent' } as const;
export const BAD_REQUEST = { status: 400, metadata: 'absent' } as const;

const AS = { as: 'management_key' } as const;

type Sends = Pick<Ctx, 'send'>;
type Waits = Pick<Ctx, 'send' | 'eventually'>;

/** Sends to the directory with the management key, where `options` names no other. */
export const ask = ({ send }: Sends, method: string, path: string, json?: unknown, options: SendOptions = {}) =>
  send({ ...AS, ...options, method, path, ...(json === undefined ? {} : { json }) });

export function entryOf(answer: Answer, what: string): Record<string, unknown> {
  expect.done(answer, what);
  isObject(answer.json, `body of ${what}`);
  isObject(answer.json.data, `data of ${what}`);
  return answer.json.data;
}

export async function pageOf(ctx: Sends, path: string, query?: Send['query']) {
  const what = `the list ${path}`;
  const answer = await ctx.send({ ...AS, path, ...(query === undefined ? {} : { query }) });
  expect.status(answer, 200, what);
  isObject(answer.json, `body of ${what}`);
  const { data, total_count: total } = answer.json;
  isArray(data, `data of ${what}`);
  for (const entry of data) isObject(entry, `an entry of ${what}`);
  ok(Number.isSafeInteger(total) && Number(total) >= 0, `total_count of ${what}`, 'a count', total);
  return { data: data as Record<string, unknown>[], total: Number(total) };
}

/** All entries of a list; at a deployment, only those of the run. */
export async function allOf(ctx: Sends, path: string): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  for (let offset = 0; ; offset += 100) {
    const { data, total } = await pageOf(ctx, path, { offset, limit: 100 });
    found.push(...data);
    if (offset + 100 >= total) return found;
  }
}

/** The `wanted` mappings of a list, read until they are as they should be. */
export const listedMappings = (
  ctx: Waits,
  wanted: (mapping: Record<string, unknown>) => boolean,
  holds: (found: readonly Record<string, unknown>[]) => boolean,
): Promise<Record<string, unknown>[]> => ctx.eventually(async () => (await allOf(ctx, MAPPINGS)).filter(wanted), holds);

/** A mapping, read until it is as it should be. */
export const readMapping = (ctx: Waits, id: unknown, holds: (answer: Answer) => boolean): Promise<Answer> =>
  ctx.eventually(() => ask(ctx, 'GET', `${MAPPINGS}/${id}`), holds);

/** The part of its context that a check needs to map the group. */
type Maps = Pick<Ctx, 'send' | 'eventually' | 'target' | 'assume' | 'unmet'>;

/**
 * A body that maps the group of the run. At a deployment that group has no mapping yet: an existing one is somebody else's.
 * At an emulator it may have one, to another workspace.
 */
export async function free(ctx: Maps, role = 'member') {
  const { scimGroupId = '', workspaceId, foreignWorkspaceId } = ctx.target;
  // Another check may just have deleted its mapping, and lists may be late.
  const there = await listedMappings(
    ctx,
    (one) => one.scim_group_id === idAsShown(scimGroupId, one.scim_group_id),
    ({ length }) => length === 0,
  );
  ctx.assume(there.length === 0, 'a SCIM group without mappings', 'the group is mapped already');
  const isTaken = (id: string) => there.some((one) => one.workspace_id === idAsShown(id, one.workspace_id));
  const workspace_id = [workspaceId, foreignWorkspaceId].find((id) => id !== undefined && !isTaken(id));
  if (workspace_id === undefined) return ctx.unmet('a SCIM group without mappings', 'it is mapped to every workspace');
  return { scim_group_id: scimGroupId, workspace_id, role };
}

/** Maps the group, calls `use`, and deletes the mapping. */
export async function mapped(
  ctx: Maps,
  use: (mapping: Record<string, unknown>, body: Record<string, unknown>) => Promise<void>,
): Promise<void> {
  const body = await free(ctx);
  const mapping = entryOf(await ask(ctx, 'POST', MAPPINGS, body), 'the create of a mapping');
  try {
    await use(mapping, body);
  } finally {
    await ask(ctx, 'DELETE', `${MAPPINGS}/${mapping.id}?keep_members=false`);
  }
}
