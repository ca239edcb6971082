import { failed } from '../answers.js';
import type { Call, Json } from '../call.js';
import type { Way } from '../world.js';
import {
  admits,
  again,
  bytesOf,
  CAP,
  counter,
  internOf,
  internsOf,
  refusesAndDoes,
  rowsOf,
  spoils,
  typeOf,
  way,
} from './helpers.js';

const CREATES = 'Creates an intern in an explicit workspace and its private vault.';
const RETRY = 'A retry with the same idempotency key and the same body resumes unfinished work.';
const NEWEST = 'Lists the interns visible to the key, newest first.';
const FILTERS = 'Filters: workspace, and one or more lifecycle statuses.';
const STATE = 'Returns the public lifecycle state and settings of one visible intern.';
const CHANGES = 'Changes name, description, instructions or model.';
const OMITTED = 'Omitted fields stay unchanged.';
const KEEPS = 'Stops the runtime and keeps its disk and configuration for a later provision call.';
const STOPS = 'Stops the runtime, keeping disk and configuration.';
const NO_BODY = 'It takes no request body; a body carrying any field is refused with 400.';
const TEARS = 'Starts safe teardown of the intern, its runtime and its private vault.';
const OPTIONAL = 'The body is optional; the only stated field is `acknowledge_workspace_loss` (boolean';
const LOSS = 'Deletes the intern, accepting that its workspace is not backed up.';
const CREATE_CAP = 'The body is capped at 1048576 bytes, and a larger body is refused with 413.';
const RULES = 'The 1048576-byte cap, 413 and 415 rules apply';

const keyOf = ({ request, who, text }: Call) => {
  const key = request.headers.get('idempotency-key');
  return key === null ? undefined : `${who} ${key} ${text}`;
};
const statusesOf = ({ url }: Call) => url.searchParams.getAll('status').flatMap((s) => s.split(','));
const given = (body: Json, field: string) => (typeof body[field] === 'string' ? (body[field] as string) : '');
const by = (field: string) => (a: Json, b: Json) => String(b[field]).localeCompare(String(a[field]));

const creating: readonly Way[] = [
  way('create-answers-a-record-in-data', 'Response `Intern`.', (w) =>
    w.later('create', async (r) =>
      r.ok ? Response.json({ data: await r.json() }, { status: r.status, headers: r.headers }) : undefined,
    ),
  ),
  way('vault-is-made-at-the-first-boot', CREATES, (w) => {
    const booted = new Set<unknown>();
    return async (call, next) => {
      const r = await next();
      if (call.op === 'provision' && r.ok) booted.add(call.id);
      if (call.op !== 'vault-list' || !r.ok || booted.has(call.id)) return r;
      const { status, hostname } = await internOf(w, call);
      if (status !== 'stopped' || hostname !== null) return r;
      w.hit();
      return failed(404, 'Vault not found', 'not_found');
    };
  }),
  way('retry-of-create-conflicts', RETRY, (w) => {
    const times = counter();
    return w.later('create', (r, call) => {
      const key = keyOf(call);
      return r.ok && key !== undefined && times(key) > 1
        ? failed(409, 'An intern of this name exists', 'name_conflict')
        : undefined;
    });
  }),
  way('create-refuses-a-body-of-exactly-the-cap', CREATE_CAP, (w) =>
    w.instead('create', ({ text }) =>
      bytesOf(text) === CAP ? failed(413, 'Request body exceeds 1048576 bytes', 'payload_too_large') : undefined,
    ),
  ),
  way('create-caps-what-is-left-of-a-body-without-white-space', CREATE_CAP, (w) =>
    admits(
      w,
      'create',
      { body: (call) => call.body },
      ({ text, body }, { status }) => status === 413 && bytesOf(text) > CAP && bytesOf(JSON.stringify(body)) < CAP,
    ),
  ),
];

const reading: readonly Way[] = [
  way('list-is-by-last-change', NEWEST, (w) =>
    w.ok('list', (body) => {
      body.data = rowsOf(body).sort(by('updated_at'));
    }),
  ),
  way('later-pages-are-oldest-first', NEWEST, (w) =>
    w.ok('list', (body, { url }) => {
      const later = [...url.searchParams.keys()].some((key) => !/^(limit|status|workspace_id)$/.test(key));
      if (later) body.data = rowsOf(body).reverse();
    }),
  ),
  way('only-the-last-status-counts', FILTERS, (w) =>
    w.later('list', (r, call) => {
      const statuses = statusesOf(call);
      if (!r.ok || statuses.length < 2) return undefined;
      const search = new URLSearchParams(call.url.search);
      search.delete('status');
      search.set('status', statuses.at(-1) ?? '');
      return w.ask('GET', `/interns?${search}`, { as: call.who });
    }),
  ),
  way('status-is-ignored-beside-a-workspace', FILTERS, (w) =>
    w.later('list', (r, call) => {
      const search = new URLSearchParams(call.url.search);
      if (!r.ok || !search.has('status') || !search.has('workspace_id')) return undefined;
      search.delete('status');
      return w.ask('GET', `/interns?${search}`, { as: call.who });
    }),
  ),
  way('list-keeps-the-old-name', CHANGES, (w) => {
    const first = new Map<unknown, unknown>();
    return w.ok('create list', (body, { op }) => {
      for (const row of internsOf(body)) {
        if (!first.has(row.id)) first.set(row.id, row.name);
        if (op === 'list') row.name = first.get(row.id);
      }
    });
  }),
  way('first-read-after-a-change-is-stale', STATE, (w) => {
    const old = new Map<string, Json>();
    return async (call, next) => {
      if (call.op === 'update') {
        const before = await internOf(w, call);
        const r = await next();
        if (r.ok) old.set(call.id, before);
        return r;
      }
      const stale = call.op === 'get' ? old.get(call.id) : undefined;
      if (!stale || call.who !== 'api_key') return next();
      old.delete(call.id);
      w.hit();
      return Response.json(stale);
    };
  }),
  way('get-says-running-once-after-suspend', STATE, (w) => {
    const fresh = new Set<string>();
    return w.ok('suspend get', (body, { op, id }) => {
      if (op === 'suspend') fresh.add(id);
      else if (fresh.delete(id) && body.status === 'stopped') body.status = 'running';
    });
  }),
];

const changing: readonly Way[] = [
  way('update-answers-the-record-before', CHANGES, (w) => async (call, next) => {
    if (call.op !== 'update') return next();
    const before = await internOf(w, call);
    const r = await next();
    if (!r.ok || !Object.keys(call.body).some((field) => before[field] !== call.body[field])) return r;
    w.hit();
    return Response.json(before);
  }),
  way('model-of-a-running-intern-stays', CHANGES, (w) =>
    spoils(w, 'update', ({ body }, { status, model }) =>
      status === 'running' && 'model' in body && body.model !== model ? { model } : undefined,
    ),
  ),
  way('an-empty-description-counts-as-omitted', CHANGES, (w) =>
    spoils(w, 'update', ({ body }, { description }) =>
      body.description === '' && description ? { description } : undefined,
    ),
  ),
  way('rename-clears-instructions', OMITTED, (w) =>
    spoils(w, 'update', ({ body }, { instructions }) =>
      'name' in body && !('instructions' in body) && instructions ? { instructions: null } : undefined,
    ),
  ),
  way('instructions-are-cut-at-a-thousand', CHANGES, (w) =>
    spoils(w, 'update', ({ body }) =>
      given(body, 'instructions').length > 1_000
        ? { instructions: given(body, 'instructions').slice(0, 1_000) }
        : undefined,
    ),
  ),
  way('update-takes-a-type-of-plain-text', RULES, (w) =>
    admits(w, 'update', {}, (call, { status }) => status === 415 && /^text\//.test(typeOf(call))),
  ),
];

const ending: readonly Way[] = [
  way('suspend-loses-what-is-not-ascii', KEEPS, (w) =>
    spoils(w, 'suspend', (_, { description }) =>
      typeof description === 'string' && /[^ -~\s]/.test(description)
        ? { description: description.replaceAll(/[^ -~\s]/g, '?') }
        : undefined,
    ),
  ),
  way('second-suspend-forgets-instructions', STOPS, (w) => {
    const times = counter();
    return spoils(w, 'suspend', ({ id }, { instructions }) =>
      times(id) === 2 && instructions ? { instructions: null } : undefined,
    );
  }),
  way('suspend-after-a-resume-does-nothing', STOPS, (w) => {
    const suspended = new Set<string>();
    return async (call, next) => {
      if (call.op !== 'suspend') return next();
      if (suspended.has(call.id) && call.text === '' && (await internOf(w, call)).status === 'running') {
        w.hit();
        return Response.json({ suspended: true });
      }
      const r = await next();
      if (r.ok) suspended.add(call.id);
      return r;
    };
  }),
  way('resume-takes-a-body', NO_BODY, (w) =>
    admits(
      w,
      'provision',
      { body: () => '' },
      ({ body }, { status }) => status === 400 && Object.keys(body).length > 0,
    ),
  ),
  way('suspend-refuses-a-body-and-suspends', NO_BODY, (w) =>
    refusesAndDoes(
      w,
      'suspend',
      { body: () => '' },
      ({ body }, { status }) => status === 400 && Object.keys(body).length > 0,
    ),
  ),
  way('delete-of-a-running-intern-suspends-it', TEARS, (w) =>
    w.instead('delete', async (call) => {
      if (call.text !== '' || (await internOf(w, call)).status !== 'running') return undefined;
      const done = await w.ask('POST', `/interns/${call.id}/suspend`, { as: call.who });
      return done.ok ? Response.json({ deleting: true }, { status: 202 }) : undefined;
    }),
  ),
  way('delete-wants-a-body', OPTIONAL, (w) =>
    w.instead('delete', ({ text, who }) =>
      text === '' && who === 'api_key' ? failed(400, 'Invalid request body', 'invalid_body') : undefined,
    ),
  ),
  way('delete-refuses-an-acknowledgement-of-false', OPTIONAL, (w) =>
    w.later('delete', (r, { body }) =>
      r.ok && body.acknowledge_workspace_loss === false
        ? failed(400, 'Invalid request body', 'invalid_body')
        : undefined,
    ),
  ),
  way('acknowledgement-is-ignored', LOSS, (w) => async (call, next) => {
    if (call.op !== 'delete' || call.body.acknowledge_workspace_loss !== true) return next();
    if ((await internOf(w, call)).status !== 'destroy_failed') return next();
    w.hit();
    return again(w, call, { body: '' });
  }),
];

export const lifecycle: readonly Way[] = [...creating, ...reading, ...changing, ...ending];
