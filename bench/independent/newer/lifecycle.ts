import { updateBodySchema } from '../../../emulator/contract/intern.js';
import { failed } from '../answers.js';
import type { Json } from '../call.js';
import { named } from '../ways/named.js';
import type { Answer, Way, World } from '../world.js';
import { also, bodyOf, contentType, isSuspended, made, shown } from './tools.js';

const _RETRY = 'A retry with the same idempotency key and the same body resumes unfinished work.';
const _LIST = 'Lists the interns visible to the key, newest first.';
const OMITTED = 'Omitted fields stay unchanged.';
const UPDATE = 'Changes name, description, instructions or model.';
const _KEY = 'idempotency-key';

const FIELDS = ['name', 'description', 'instructions', 'model'] as const;
const settingsOf = (record: Json): Json => Object.fromEntries(FIELDS.map((field) => [field, record[field]]));

/** An update answers with what `make` makes of the record before it. */
const knowingBefore =
  (w: World, then: (before: Json, r: Response, id: string) => Response | undefined): Answer =>
  async (call, next) => {
    if (call.op !== 'update') return next();
    const before = await shown(w, call);
    const r = await next();
    return (before && r.ok ? then(before, r, call.id.toLowerCase()) : undefined) ?? r;
  };

export const updating: readonly Way[] = [
  named(
    'a get shows the state before an update for five seconds',
    'Returns the public lifecycle state and settings of one visible intern.',
    (w) => {
      const before = new Map<string, { at: number; record: Json }>();
      const note = knowingBefore(w, (record, _, id) => {
        before.set(id, { at: w.setting.host.now(), record });
        return undefined;
      });
      const get = w.later('get', (r, { id }) => {
        const known = before.get(id.toLowerCase());
        return r.ok && known && w.setting.host.now() - known.at < 5_000 ? Response.json(known.record) : undefined;
      });
      return (call, next) => (call.op === 'update' ? note(call, next) : get(call, next));
    },
  ),
  named('new instructions clear the description', OMITTED, (w) =>
    w.asked('update', ({ body }) =>
      'instructions' in body && !('description' in body) ? { ...body, description: null } : undefined,
    ),
  ),
  named('an update changes the first of its fields', UPDATE, (w) =>
    w.asked('update', ({ body }) => {
      const valid = updateBodySchema().safeParse(body).success && Object.keys(body).length > 1;
      return valid ? Object.fromEntries(Object.entries(body).slice(0, 1)) : undefined;
    }),
  ),
  named('an update takes an empty text for an omitted one', UPDATE, (w) =>
    w.asked('update', ({ body }) => {
      const rest = Object.entries(body).filter(
        ([field, value]) => value !== '' || (field !== 'description' && field !== 'instructions'),
      );
      return rest.length < Object.keys(body).length ? Object.fromEntries(rest) : undefined;
    }),
  ),
  named('an update answers with the state before it', 'Response `Intern`.', (w) =>
    knowingBefore(w, (before) => {
      w.hit();
      return Response.json(before);
    }),
  ),
  named('of two updates at once the later takes back what the other changed', OMITTED, (w) => {
    const going = new Map<string, { count: number; read: Promise<Json | undefined> }>();
    return async (call, next) => {
      if (call.op !== 'update') return next();
      const id = call.id.toLowerCase();
      const mine = going.get(id) ?? { count: 0, read: shown(w, call) };
      going.set(id, mine);
      mine.count += 1;
      const first = mine.count === 1;
      const before = await mine.read;
      try {
        if (first || !before || Object.keys(call.body).length === 0) return await next();
        w.hit();
        const headers = new Headers(call.request.headers);
        headers.delete('content-length');
        const body = JSON.stringify({ ...settingsOf(before), ...call.body });
        return await next(new Request(call.url, { method: 'PATCH', headers, body }));
      } finally {
        mine.count -= 1;
        if (mine.count === 0) going.delete(id);
      }
    };
  }),
  named(
    'an update starts an intern that is suspended',
    'Stops the runtime and keeps its disk and configuration for a later provision call.',
    (w) =>
      w.later('update', async (r, call) => {
        if (!r.ok || !isSuspended(await bodyOf(r))) return undefined;
        w.hit();
        await also(w, call, 'POST', '/provision');
        return undefined;
      }),
  ),
  named(
    'an update refuses a content type with its charset',
    'A non-empty body must declare `Content-Type: application/json`',
    (w) =>
      w.instead('update', async (call) =>
        contentType(call).includes(';') && (await shown(w, call))
          ? failed(415, 'Request body must be sent as application/json', 'unsupported_media_type')
          : undefined,
      ),
  ),
];

const acknowledged = (name: string, quote: string, value: unknown): Way =>
  named(name, quote, (w) =>
    w.asked('delete', ({ body }) =>
      body.acknowledge_workspace_loss === value ? { ...body, acknowledge_workspace_loss: true } : undefined,
    ),
  );
const NO_FIELD = 'It takes no request body; a body carrying any field is refused with 400.';
const KEEPS = 'Stops the runtime, keeping disk and configuration.';

export const ending: readonly Way[] = [
  acknowledged(
    'a loss that is said not to be acknowledged is taken for acknowledged',
    'true to accept that the workspace is not backed up',
    false,
  ),
  acknowledged('a loss is acknowledged by a text', '`acknowledge_workspace_loss` (boolean, true to accept)', 'true'),
  named('a delete needs a body', 'The body is optional', (w) =>
    w.instead('delete', async (call) =>
      call.text === '' && (await shown(w, call)) ? failed(400, 'Invalid request body', 'invalid_body') : undefined,
    ),
  ),
  named('suspend takes a body with fields', NO_FIELD, (w) =>
    w.asked('suspend', ({ body }) => (Object.keys(body).length > 0 ? {} : undefined)),
  ),
  named('a provision that is refused for its body boots all the same', NO_FIELD, (w) =>
    w.later('provision', async (r, call) => {
      if (r.status !== 400) return undefined;
      const { ok } = await also(w, call, 'POST', '/provision');
      if (ok) w.hit();
      return undefined;
    }),
  ),
  named('suspend loses the instructions', KEEPS, (w) =>
    w.later('suspend', async (r, call) => {
      const record = r.ok ? await shown(w, call) : undefined;
      if (typeof record?.instructions !== 'string') return undefined;
      w.hit();
      await also(w, call, 'PATCH', '', { instructions: null });
      return undefined;
    }),
  ),
  made('a daemon answers though its intern is suspended', KEEPS, (usual, hit) => {
    const tokens = new Map<string, string>();
    return {
      createProvisioning(interns, deps) {
        const provisioning = usual.createProvisioning(interns, deps);
        return {
          ...provisioning,
          suspend(row) {
            if (row.daemon_token !== null) tokens.set(row.id, row.daemon_token);
            return provisioning.suspend(row);
          },
        };
      },
      createProofs(deps) {
        const { interns } = deps;
        type Row = ReturnType<typeof interns.get>;
        const up = (row: Row): Row => {
          const token = row && tokens.get(row.id);
          return row && token !== undefined && row.record.status === 'stopped'
            ? { ...row, daemon_token: token, record: { ...row.record, status: 'running' } }
            : row;
        };
        return usual.createProofs({
          ...deps,
          interns: {
            get size() {
              return interns.size;
            },
            get(id) {
              const row = interns.get(id);
              const other = up(row);
              if (other !== row) hit();
              return other;
            },
            *values() {
              for (const row of interns.values()) yield up(row) ?? row;
            },
          },
        });
      },
    };
  }),
  named('the disk with its sessions is lost when an intern is suspended', KEEPS, (w) => {
    const held = new Map<string, Set<unknown>>();
    const lost = new Set<unknown>();
    return async (call, next) => {
      const id = call.id.toLowerCase();
      if (call.op === 'invoke' && lost.has(call.body.session_id)) {
        w.hit();
        return failed(404, 'Session not found', 'not_found');
      }
      const r = await next();
      if (call.op === 'suspend' && r.ok) for (const session of held.get(id) ?? []) lost.add(session);
      if (call.op === 'invoke' && r.ok) {
        const { session_id: session } = await bodyOf(r);
        held.set(id, new Set([...(held.get(id) ?? []), session]));
      }
      return r;
    };
  }),
];
