import { failed } from '../answers.js';
import type { Call, Json } from '../call.js';
import type { Way, World } from '../world.js';
import { bodyOf, interns, record, said, suspended, way } from './tools.js';

const GET = 'Returns the public lifecycle state and settings of one visible intern.';
const OMITTED = 'Omitted fields stay unchanged.';
const UPDATE = 'Changes name, description, instructions or model.';

/** Takes an update back, and answers as if it were kept. */
async function undone(w: World, { id, who, body }: Call, response: Response, before: Json = {}): Promise<Response> {
  const old = Object.fromEntries(Object.keys(body).map((name) => [name, before[name] ?? null]));
  const back = await w.ask('PATCH', `/interns/${id}`, { as: who, body: old });
  if (back.ok) w.hit();
  return response;
}

export const reads: readonly Way[] = [
  way('a read is as old as half a minute', GET, (w) => {
    const known = new Map<string, { at: number; body: Json }>();
    return w.later('get', async (r, { id, who }) => {
      if (!r.ok) return undefined;
      const now = w.setting.host.now();
      const before = known.get(`${who} ${id}`);
      const body = await bodyOf(r);
      if (before === undefined || now - before.at >= 30_000) known.set(`${who} ${id}`, { at: now, body });
      else if (JSON.stringify(before.body) !== JSON.stringify(body)) return said(r, before.body);
      return undefined;
    });
  }),
  way('a suspended intern seems to run in its own read', GET, (w) =>
    w.ok('get', (body) => {
      if (suspended(body)) body.status = 'running';
    }),
  ),
  way("an intern's own key sees no instructions", GET, (w) =>
    w.ok('get', (body, { who }) => {
      if (who === 'own_key') body.instructions = null;
    }),
  ),
  way('one being torn down seems to be stopped', GET, (w) =>
    w.ok('get list', (body) => {
      for (const intern of interns(body)) if (intern.status === 'destroying') intern.status = 'stopped';
    }),
  ),
  way('one that does not run has no model', GET, (w) =>
    w.ok('get', (body) => {
      if (body.status === 'stopped') body.model = null;
    }),
  ),
  way('a read gives the workspace of the caller last seen', 'living in one explicit workspace', (w) => {
    let other: unknown;
    return w.ok('get create', (body, { op }) => {
      if (op === 'create') other = body.workspace_id;
      else body.workspace_id = other ?? body.workspace_id;
    });
  }),
  way('the first read after a create finds nothing', GET, (w) => {
    const fresh = new Set<unknown>();
    return w.later('create get', async (r, { op, id }) => {
      if (op === 'create' && r.ok) fresh.add((await bodyOf(r)).id);
      return op === 'get' && fresh.delete(id) ? failed(404, 'Intern not found', 'not_found') : undefined;
    });
  }),
];

export const updates: readonly Way[] = [
  way('a new name empties the description', OMITTED, (w) =>
    w.asked('update', ({ body }) =>
      typeof body.name === 'string' && !('description' in body) ? { ...body, description: '' } : undefined,
    ),
  ),
  way('the second update brings back the instructions of before the first', OMITTED, (w) => {
    const first = new Map<string, unknown>();
    return async (call, next) => {
      if (call.op !== 'update') return next();
      const known = first.get(call.id);
      if (known === undefined) first.set(call.id, (await record(w, call.id, call.who))?.instructions ?? undefined);
      const response = await next();
      if (!response.ok || typeof known !== 'string' || 'instructions' in call.body) return response;
      const body = await bodyOf(response);
      if (body.instructions === known) return response;
      w.hit();
      const back = await w.ask('PATCH', `/interns/${call.id}`, { as: call.who, body: { instructions: known } });
      return back.ok ? said(response, await bodyOf(back)) : response;
    };
  }),
  way('an update of a suspended intern is not kept', UPDATE, (w) => async (call, next) => {
    const before = call.op === 'update' ? await record(w, call.id, call.who) : undefined;
    const response = await next();
    return suspended(before) && response.ok ? undone(w, call, response, before) : response;
  }),
  way('an update answers with what was before', 'Response `Intern`.', (w) => async (call, next) => {
    const before = call.op === 'update' ? await record(w, call.id, call.who) : undefined;
    const response = await next();
    if (before === undefined || !response.ok) return response;
    if (JSON.stringify(before) === JSON.stringify(await bodyOf(response))) return response;
    w.hit();
    return said(response, before);
  }),
  way('an update of its instructions suspends a running intern', UPDATE, (w) =>
    w.later('update', async (r, { id, who, body }) => {
      if (!r.ok || !('instructions' in body) || (await bodyOf(r)).status !== 'running') return undefined;
      await w.ask('POST', `/interns/${id}/suspend`, { as: who });
      return r;
    }),
  ),
  way("an update by an intern's own key is answered and forgotten", UPDATE, (w) =>
    w.instead('update', async ({ id, who, body }) => {
      const now = who === 'own_key' ? await record(w, id, who) : undefined;
      const plain = Object.values(body).every((value) => typeof value === 'string');
      return now === undefined || !plain ? undefined : Response.json({ ...now, ...body });
    }),
  ),
  way('of several changes an update makes the first', UPDATE, (w) =>
    w.asked('update', ({ body }) => {
      const [first, ...others] = Object.entries(body);
      return first === undefined || others.length === 0 ? undefined : Object.fromEntries([first]);
    }),
  ),
  way('an update cuts instructions after two thousand characters', UPDATE, (w) =>
    w.asked('update', ({ body }) =>
      typeof body.instructions === 'string' && body.instructions.length > 2_000
        ? { ...body, instructions: body.instructions.slice(0, 2_000) }
        : undefined,
    ),
  ),
  way('a change of the model alone is not kept', UPDATE, (w) => async (call, next) => {
    const alone = call.op === 'update' && Object.keys(call.body).join() === 'model';
    const before = alone ? await record(w, call.id, call.who) : undefined;
    const response = await next();
    return before !== undefined && response.ok ? undone(w, call, response, before) : response;
  }),
];
