import { type Json, withHeaders } from '../call.js';
import { named, unseen } from '../ways/named.js';
import type { Way } from '../world.js';
import { bodyOf, isMember, isRecord, isSuspended, person } from './tools.js';

const RETRY = 'A retry with the same idempotency key and the same body resumes unfinished work.';
const LIST = 'Lists the interns visible to the key, newest first.';
const _OMITTED = 'Omitted fields stay unchanged.';
const _UPDATE = 'Changes name, description, instructions or model.';
const KEY = 'idempotency-key';

const records = (body: Json) => (Array.isArray(body.data) ? body.data : [body]).filter(isRecord);
const second = (record: Json) => String(record.created_at).slice(0, 19);

export const lists: readonly Way[] = [
  named('interns of one second come oldest first', LIST, (w) =>
    w.ok('list', (body) => {
      const seconds = new Map<string, Json[]>();
      for (const record of records(body)) {
        const same = seconds.get(second(record));
        if (same) same.unshift(record);
        else seconds.set(second(record), [record]);
      }
      body.data = [...seconds.values()].flat();
    }),
  ),
  // Pages may be sparse: who follows the cursor finds all.
  {
    ...named(
      'statuses are filtered once a page was taken',
      'Filters: workspace, and one or more lifecycle statuses.',
      (w) =>
        w.later('list', async (r, call) => {
          const wanted = call.url.searchParams.getAll('status').join(',').split(',');
          if (!r.ok || wanted[0] === '') return undefined;
          const all = new URL(call.url);
          all.searchParams.delete('status');
          const page = await bodyOf(await w.next(withHeaders(call, {}, all)));
          const data = records(page).filter(({ status }) => wanted.includes(String(status)));
          const said = JSON.stringify({ ...page, data });
          return said === (await r.clone().text()) ? undefined : new Response(said, r);
        }),
    ),
    lawful: true,
  },
  named('a list without a filter leaves out who is suspended', LIST, (w) =>
    w.ok('list', (body, { url }) => {
      if (!url.searchParams.has('status')) body.data = records(body).filter((record) => !isSuspended(record));
    }),
  ),
];

export const creating: readonly Way[] = [
  named(
    'an idempotency key is one for all callers',
    'The API key selects the caller, the workspace and the visible interns.',
    (w) => {
      const first = new Map<string, { who: string; text: string; said: string }>();
      return async (call, next) => {
        const key = call.request.headers.get(KEY);
        if (call.op !== 'create' || key === null || !isMember(call.who) || call.who === 'own_key') return next();
        const known = first.get(key);
        if (known && known.who !== person(call.who) && known.text === call.text) {
          w.hit();
          return new Response(known.said, { headers: { 'content-type': 'application/json' } });
        }
        const r = await next();
        if (r.ok && !known) first.set(key, { who: person(call.who), text: call.text, said: await r.clone().text() });
        return r;
      };
    },
  ),
  named('an idempotency key is forgotten after ten minutes', RETRY, (w) => {
    const since = new Map<string, number>();
    return w.asked('create', (call) => {
      const key = call.request.headers.get(KEY);
      if (key === null) return undefined;
      const id = `${person(call.who)} ${key}`;
      const now = w.setting.host.now();
      const at = since.get(id) ?? now;
      since.set(id, at);
      return now - at > 600_000 ? withHeaders(call, { [KEY]: `${key.slice(0, 250)}+` }) : undefined;
    });
  }),
  twins(),
  unseen(
    'the deployment that is measured has the profile of the published API, which states that default',
    named(
      'a create that names no workspace is made in that of its key',
      'There is no default workspace fallback.',
      (w) =>
        w.asked('create', ({ body }) =>
          'workspace_id' in body ? undefined : { ...body, workspace_id: w.workspaces.own },
        ),
    ),
  ),
  named('an intern that waits for its first boot has no vault', 'Creates the intern and its private vault.', (w) =>
    w.ok('create get update list', (body) => {
      for (const record of records(body))
        if (record.status === 'stopped' && record.hostname === null) record.vault_id = null;
    }),
  ),
  named(
    'the 413 of a create is plain text',
    'The error responses of every endpoint use the envelope given under Errors.',
    (w) =>
      w.later('create', (r) =>
        r.status === 413
          ? new Response('Request body exceeds 1048576 bytes', {
              status: 413,
              headers: { 'content-type': 'text/plain' },
            })
          : undefined,
      ),
  ),
  named(
    'the texts of a create are composed',
    'Returns the public lifecycle state and settings of one visible intern.',
    (w) =>
      w.asked('create', ({ body }) => {
        const composed = Object.entries(body).map(([name, value]) => [
          name,
          typeof value === 'string' ? value.normalize('NFC') : value,
        ]);
        const other = Object.fromEntries(composed) as Json;
        return JSON.stringify(other) === JSON.stringify(body) ? undefined : other;
      }),
  ),
];

/** Two creates with one key that come at the same time pass each other's checks. */
function twins(): Way {
  const racing = new Set<string>();
  return {
    name: 'two creates with one idempotency key at the same time make two interns',
    quote: RETRY,
    factories: (usual) => ({
      createInterns(deps) {
        const interns = usual.createInterns(deps);
        return { ...interns, nameTaken: (...asked) => !racing.has(asked[2]) && interns.nameTaken(...asked) };
      },
    }),
    wrong(w) {
      const going = new Set<string>();
      return async (call, next) => {
        const key = call.request.headers.get(KEY);
        if (call.op !== 'create' || key === null || !isMember(call.who)) return next();
        const same = `${person(call.who)} ${key} ${call.text}`;
        if (going.has(same)) {
          racing.add(String(call.body.name));
          w.hit();
          return next(withHeaders(call, { [KEY]: `${key.slice(0, 250)}+` }));
        }
        going.add(same);
        const r = await next();
        going.delete(same);
        return r;
      };
    },
  };
}
