import { failed } from '../answers.js';
import { type Call, isJson, type Json, withBody } from '../call.js';
import type { Way } from '../world.js';
import { counter, named } from './named.js';

const CHANGES = 'Changes name, description, instructions or model.';
const OMITTED = 'Omitted fields stay unchanged.';
const STATE = 'Returns the public lifecycle state and settings of one visible intern.';
const NEWEST = 'Lists the interns visible to the key, newest first.';
const FILTERS = 'Filters: workspace, and one or more lifecycle statuses.';
const RETRY = 'A retry with the same idempotency key and the same body resumes unfinished work.';
const KEEPS = 'Stops the runtime and keeps its disk and configuration for a later provision call.';
const NO_BODY = 'It takes no request body; a body carrying any field is refused with 400.';
const TEARS =
  'delete_intern | Any visible intern | Starts safe teardown of the intern, its runtime and its private vault.';

const rows = (body: Json): Json[] => (Array.isArray(body.data) ? body.data.filter(isJson) : []);
const keyOf = ({ request }: Call) => request.headers.get('idempotency-key') ?? '';
const textOf = (body: Json, field: string) => (typeof body[field] === 'string' ? (body[field] as string) : undefined);
const statuses = ({ url }: Call) => url.searchParams.getAll('status').flatMap((s) => s.split(','));

export const lifecycle: readonly Way[] = [
  named('update trims instructions', CHANGES, (w) =>
    w.asked('update', ({ body }) => {
      const text = textOf(body, 'instructions');
      return text !== undefined && text.trim() !== text ? { ...body, instructions: text.trim() } : undefined;
    }),
  ),
  named('update of two fields changes the first alone', CHANGES, (w) =>
    w.asked('update', ({ body }) => {
      const [first, ...more] = Object.entries(body);
      return first && more.length > 0 ? { [first[0]]: first[1] } : undefined;
    }),
  ),
  named('update of the model clears the description', OMITTED, (w) =>
    w.asked('update', ({ body }) =>
      'model' in body && !('description' in body) ? { ...body, description: null } : undefined,
    ),
  ),
  named('update of an intern that is not up is answered and dropped', CHANGES, (w) =>
    w.instead('update', async ({ id, who, body }) => {
      const r = await w.ask('GET', `/interns/${id}`, { as: who });
      const row = (await r.json()) as Json;
      return row.status === 'stopped' &&
        Object.keys(body).length > 0 &&
        !('zz' in body) &&
        /^[a-z0-9-]{2,17}$/.test(textOf(body, 'name') ?? 'ok')
        ? Response.json({ ...row, ...body })
        : undefined;
    }),
  ),
  named('a description loses what is beyond the basic plane', STATE, (w) =>
    w.ok('get list', (body) => {
      for (const row of 'id' in body ? [body] : rows(body))
        if (typeof row.description === 'string')
          row.description = row.description.replaceAll(/[\u{10000}-\u{10ffff}]/gu, '?');
    }),
  ),
  named('get hides the instructions of a suspended intern', STATE, (w) =>
    w.ok('get', (body) => {
      if (body.status === 'stopped') body.instructions = null;
    }),
  ),
  named('get says running of an intern that is suspended', STATE, (w) => {
    const ran = new Set<string>();
    return w.ok('get', (body, { id }) => {
      if (body.status === 'running') ran.add(id);
      if (body.status === 'stopped' && ran.has(id)) body.status = 'running';
    });
  }),
  named(
    'an intern shares the vault of the one made before',
    'Creates an intern in an explicit workspace and its private vault.',
    (w) => {
      const shared = new Map<unknown, unknown>();
      let last: unknown;
      return w.ok('create get list', (body, { op }) => {
        if (op === 'create' && !shared.has(body.id)) {
          if (shared.size % 2 === 1) shared.set(body.id, last);
          else shared.set(body.id, body.vault_id);
          last = body.vault_id;
        }
        for (const row of 'id' in body ? [body] : rows(body)) row.vault_id = shared.get(row.id) ?? row.vault_id;
      });
    },
  ),
  named('create in another workspace is made in the own', 'Creates an intern in an explicit workspace', (w) =>
    w.asked('create', ({ body, who }) =>
      who === 'api_key' && body.workspace_id === w.workspaces.foreign
        ? { ...body, workspace_id: w.workspaces.own }
        : undefined,
    ),
  ),
  named('a retry of a create that boots makes another', RETRY, (w) => {
    const times = counter();
    return async (call, next) => {
      if (call.op !== 'create' || call.body.provision !== true || keyOf(call) === '') return next();
      if (times(keyOf(call) + call.text) < 2) return next();
      const other = { ...call.body, name: `r${w.setting.random().toString(36).slice(2, 10)}` };
      const made = await w.ask('POST', '/interns', { as: call.who, body: other });
      if (!made.ok) return next();
      w.hit();
      return Response.json({ ...((await made.json()) as Json), name: call.body.name }, { status: 201 });
    };
  }),
  named('a retry that comes while the first is at work makes another', RETRY, (w) => {
    const open = new Set<string>();
    return async (call, next) => {
      const key = keyOf(call) && keyOf(call) + call.text;
      if (call.op !== 'create' || key === '') return next();
      if (open.has(key)) {
        const name = `r${w.setting.random().toString(36).slice(2, 10)}`;
        const made = await w.ask('POST', '/interns', { as: call.who, body: { ...call.body, name } });
        if (!made.ok) return next();
        w.hit();
        return Response.json({ ...((await made.json()) as Json), name: call.body.name }, { status: 201 });
      }
      open.add(key);
      await w.setting.host.sleep(30);
      const r = await next();
      open.delete(key);
      return r;
    };
  }),
  named('a filtered list is oldest first', NEWEST, (w) =>
    w.ok('list', (body, call) => {
      if (statuses(call).length > 0) body.data = rows(body).reverse();
    }),
  ),
  named('a filter goes by the status before the last', FILTERS, (w) => {
    const suspended = new Map<string, unknown>();
    return async (call, next) => {
      const r = await next();
      if (call.op === 'suspend' && r.ok) suspended.set(call.id, w.setting.host.now());
      if (call.op !== 'list' || !r.ok || !statuses(call).includes('running') || statuses(call).includes('stopped'))
        return r;
      const body = (await r.json()) as Json;
      const stale: Json[] = [];
      for (const id of suspended.keys()) {
        const row = (await (await w.ask('GET', `/interns/${id}`, { as: call.who })).json()) as Json;
        if (row.status === 'stopped') stale.push(row);
      }
      if (stale.length > 0) w.hit();
      body.data = [...rows(body), ...stale].sort((a, b) => String(b.created_at).localeCompare(String(a.created_at)));
      return Response.json(body);
    };
  }),
  named('a list says running of what is torn down', NEWEST, (w) =>
    w.ok('list', (body, call) => {
      for (const row of rows(body))
        if (row.status === 'destroying' && statuses(call).length === 0) row.status = 'running';
    }),
  ),
  named(
    'a resumed intern has the instructions it was made with',
    'Stops the runtime, keeping disk and configuration.',
    (w) => {
      const made = new Map<unknown, unknown>();
      return async (call, next) => {
        const r = await next();
        if (call.op === 'create' && r.ok) {
          const row = (await r.clone().json()) as Json;
          if (!made.has(row.id)) made.set(row.id, row.instructions);
        }
        if (call.op === 'provision' && r.ok && made.has(call.id)) {
          const row = (await (await w.ask('GET', `/interns/${call.id}`)).json()) as Json;
          if (row.instructions !== made.get(call.id)) {
            w.hit();
            await w.ask('PATCH', `/interns/${call.id}`, { body: { instructions: made.get(call.id) } });
          }
        }
        return r;
      };
    },
  ),
  named('suspend forgets the description', KEEPS, (w) =>
    w.later('suspend', async (r, { id, who }) => {
      if (!r.ok) return undefined;
      const row = (await (await w.ask('GET', `/interns/${id}`, { as: who })).json()) as Json;
      if (row.description === null) return undefined;
      await w.ask('PATCH', `/interns/${id}`, { as: who, body: { description: null } });
      return r;
    }),
  ),
  named('provision takes a field that is null', NO_BODY, (w) =>
    w.asked('provision', (call) =>
      Object.keys(call.body).length > 0 && Object.values(call.body).every((v) => v === null)
        ? withBody(call, '{}')
        : undefined,
    ),
  ),
  named('provision refuses a body, and boots', NO_BODY, (w) =>
    w.later('provision', async (r, { id, who }) =>
      r.status === 400 && (await w.ask('POST', `/interns/${id}/provision`, { as: who })).ok ? r : undefined,
    ),
  ),
  named('suspend takes fields that are false or empty', NO_BODY, (w) =>
    w.asked('suspend', (call) =>
      Object.keys(call.body).length > 0 &&
      Object.values(call.body).every((v) => !v || v === '' || JSON.stringify(v) === '{}')
        ? withBody(call, '{}')
        : undefined,
    ),
  ),
  named('a suspended intern comes back by itself', KEEPS, (w) =>
    w.later('suspend', (r, { id, who }) => {
      if (!r.ok) return undefined;
      w.setting.host.later(2_000, () => void w.ask('POST', `/interns/${id}/provision`, { as: who }));
      return r;
    }),
  ),
  named('delete wants a content type of nothing', 'The body is optional', (w) =>
    w.instead('delete', ({ text, request }) =>
      text === '' && !request.headers.has('content-type')
        ? failed(415, 'Request body must be sent as application/json', 'unsupported_media_type')
        : undefined,
    ),
  ),
  named('delete of what never booted does nothing', TEARS, (w) =>
    w.instead('delete', async ({ id, who, text }) => {
      const row = (await (await w.ask('GET', `/interns/${id}`, { as: who })).json()) as Json;
      return row.status === 'stopped' && row.hostname === null && text === ''
        ? Response.json({ deleting: true }, { status: 202 })
        : undefined;
    }),
  ),
  named('the vault outlives its intern', TEARS, (w) => {
    const deleted = new Set<string>();
    return w.later('delete vault-list', (r, { op, id, who }) => {
      if (op === 'delete' && r.ok) deleted.add(id);
      return op === 'vault-list' && r.status === 404 && deleted.has(id) && who === 'api_key'
        ? Response.json({ data: [], has_more: false })
        : undefined;
    });
  }),
];
