import { failed } from '../answers.js';
import { type Json, withBody, withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { bodyOf, bytes, CAP, contentType, interns, said, way } from './tools.js';

const CREATE = 'An intern is created in an explicit workspace.';
const WAIT = 'It may start provisioning at once or wait for a later provision call.';
const RETRY = 'A retry with the same idempotency key and the same body resumes unfinished work.';
const TYPE = 'A non-empty body must declare `Content-Type: application/json`, or it is refused with 415.';

const key = ({ request }: { request: Request }) => request.headers.get('idempotency-key') ?? undefined;

export const creates: readonly Way[] = [
  way('one that is created and provisioned in one step has no instructions', 'Valid body: Creates the intern', (w) =>
    w.asked('create', ({ body }) => {
      if (body.provision !== true || !('instructions' in body)) return undefined;
      const { instructions: _, ...rest } = body;
      return rest;
    }),
  ),
  way('one that shall wait is provisioned at once', WAIT, (w) =>
    w.asked('create', ({ body }) => (body.provision === false ? { ...body, provision: true } : undefined)),
  ),
  way('a create of exactly the cap is too large', 'a larger body is refused with 413', (w) =>
    w.later('create', (r, { text }) =>
      bytes(text) === CAP && r.status !== 413
        ? failed(413, `Request body exceeds ${CAP} bytes`, 'payload_too_large')
        : undefined,
    ),
  ),
  way('a create takes any media type that ends in json', TYPE, (w) =>
    w.asked('create', (call) =>
      /^[^;]+[+/]json\b/i.test(contentType(call)) && !/^application\/json\b/i.test(contentType(call))
        ? withHeaders(call, { 'content-type': 'application/json' })
        : undefined,
    ),
  ),
  way('every second intern has the vault of the one before', 'Creating it also creates its private vault.', (w) => {
    const vaults = new Map<unknown, unknown>();
    let waiting: unknown;
    return w.ok('create get list update', (body, { op }) => {
      for (const intern of interns(body)) {
        if (op === 'create' && !vaults.has(intern.id)) {
          vaults.set(intern.id, waiting ?? intern.vault_id);
          waiting = waiting === undefined ? intern.vault_id : undefined;
        }
        if (vaults.has(intern.id)) intern.vault_id = vaults.get(intern.id);
      }
    });
  }),
  way('a description loses what is beyond the basic plane', 'Changeable through `update_intern`.', (w) =>
    w.ok('create get list update', (body) => {
      for (const intern of interns(body))
        if (typeof intern.description === 'string')
          intern.description = intern.description.replace(/[\u{10000}-\u{10ffff}]/gu, '\ufffd');
    }),
  ),
  way('a create says that the intern runs already', WAIT, (w) =>
    w.ok('create', (body) => {
      body.status = 'running';
    }),
  ),
  way("a create in another's workspace lands in the own one", CREATE, (w) =>
    w.asked('create', ({ body, who }) =>
      who === 'api_key' && body.workspace_id === w.workspaces.foreign
        ? { ...body, workspace_id: w.workspaces.own }
        : undefined,
    ),
  ),
];

export const retries: readonly Way[] = [
  way('keys of retries are compared without their case', RETRY, (w) =>
    w.asked('create', (call) => {
      const given = key(call);
      const lower = given?.toLowerCase();
      return lower === undefined || lower === given ? undefined : withHeaders(call, { 'idempotency-key': lower });
    }),
  ),
  way('keys of retries are cut to twelve characters', RETRY, (w) =>
    w.asked('create', (call) => {
      const given = key(call);
      return given === undefined || given.length <= 12
        ? undefined
        : withHeaders(call, { 'idempotency-key': given.slice(0, 12) });
    }),
  ),
  way('the third time that a key comes it is a new one', RETRY, (w) => {
    const times = new Map<string, number>();
    return w.asked('create', (call) => {
      const given = key(call);
      if (given === undefined) return undefined;
      const count = (times.get(`${call.who} ${given}`) ?? 0) + 1;
      times.set(`${call.who} ${given}`, count);
      return count < 3 ? undefined : withHeaders(call, { 'idempotency-key': `${given}${count}` });
    });
  }),
  way('a key is forgotten when another create came between', RETRY, (w) => {
    const since = new Map<string, number>();
    let count = 0;
    return w.asked('create', (call) => {
      const given = key(call);
      count += 1;
      if (given === undefined) return undefined;
      const before = since.get(given);
      since.set(given, count);
      return before === undefined || before === count - 1
        ? undefined
        : withHeaders(call, { 'idempotency-key': `${given}${count}` });
    });
  }),
  way('a key that comes twice at the same time is two keys', RETRY, (w) => {
    const going = new Map<string, number>();
    return async (call, next) => {
      const given = call.op === 'create' ? key(call) : undefined;
      if (given === undefined) return next();
      const others = going.get(given) ?? 0;
      going.set(given, others + 1);
      if (others > 0) w.hit();
      const response = await next(
        others > 0 ? withHeaders(call, { 'idempotency-key': `${given}${others}` }) : undefined,
      );
      going.set(given, (going.get(given) ?? 1) - 1);
      return response;
    };
  }),
  way('a retry answers without the description', 'Response `Intern`.', (w) => {
    const seen = new Set<unknown>();
    return w.ok('create', (body) => {
      if (seen.has(body.id)) body.description = null;
      seen.add(body.id);
    });
  }),
  way(
    "a key gives what another workspace's caller made with it",
    'The API key selects the caller, the workspace',
    (w) => {
      const first = new Map<string, Json>();
      return w.later('create', async (r, call) => {
        const given = key(call);
        if (!r.ok || given === undefined) return undefined;
        const made = await bodyOf(r);
        const known = first.get(given) ?? made;
        first.set(given, known);
        return known.workspace_id === made.workspace_id ? undefined : said(r, known);
      });
    },
  ),
  way('a retry provisions an intern that shall wait', WAIT, (w) => {
    const seen = new Set<unknown>();
    return w.later('create', async (r, call) => {
      const { id, status } = await bodyOf(r);
      const known = seen.has(id);
      if (r.ok) seen.add(id);
      if (!r.ok || !known || call.body.provision === true || status !== 'stopped') return undefined;
      await w.ask('POST', `/interns/${String(id)}/provision`, { as: call.who });
      return r;
    });
  }),
  way('a key is forgotten when its intern was changed', RETRY, (w) => {
    const made = new Map<string, unknown>();
    const changed = new Set<unknown>();
    return async (call, next) => {
      const given = call.op === 'create' ? key(call) : undefined;
      if (given === undefined) {
        const response = await next();
        if (call.op === 'update' && response.ok) changed.add(call.id);
        return response;
      }
      const again = changed.has(made.get(`${call.who} ${given}`));
      if (again) w.hit();
      const response = await next(again ? withHeaders(call, { 'idempotency-key': `${given}-again` }) : undefined);
      if (response.ok) made.set(`${call.who} ${given}`, (await bodyOf(response)).id);
      return response;
    };
  }),
];

/** Kept apart: it sends a create on with the body of the create before. */
export const mixed: readonly Way[] = [
  way('a create without instructions gets those of the create before', 'Valid body: Creates the intern', (w) => {
    const before = new Map<string, unknown>();
    return async (call, next) => {
      if (call.op !== 'create' || Object.keys(call.body).length === 0) return next();
      const known = before.get(call.who);
      if (typeof call.body.instructions === 'string') before.set(call.who, call.body.instructions);
      if (known === undefined || 'instructions' in call.body || key(call) !== undefined) return next();
      w.hit();
      return next(withBody(call, { ...call.body, instructions: known }));
    };
  }),
];
