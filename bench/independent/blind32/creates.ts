import { failed } from '../answers.js';
import type { Way } from '../world.js';
import { as, jsonIn, recordOf, records, way } from './helpers.js';

const CREATES = 'Creates an intern in an explicit workspace and its private vault.';
const VAULT = 'Creating it also creates its private vault.';
const STARTS = 'It may start provisioning at once or wait for a later provision call.';
const RETRY = 'A retry with the same idempotency key and the same body resumes unfinished work.';

const keyOf = (request: Request) => request.headers.get('idempotency-key');
const conflict = () => failed(409, 'An intern of this name exists', 'name_conflict');

export const creates: readonly Way[] = [
  way('create-key-shared-by-callers', RETRY, (w) => {
    const first = new Map<string, { text: string; who: string }>();
    return async (call, next) => {
      const key = call.op === 'create' ? keyOf(call.request) : null;
      if (key === null) return next();
      const known = first.get(key);
      if (known !== undefined && known.text === call.text && known.who !== call.who) {
        w.hit();
        return next(as(call, w.credentials[known.who] ?? ''));
      }
      const response = await next();
      if (response.ok) first.set(key, { text: call.text, who: call.who });
      return response;
    };
  }),
  way('create-retry-meets-its-own-name', RETRY, (w) => async (call, next) => {
    const response = await next();
    if (call.op !== 'create' || keyOf(call.request) === null || response.status !== 200) return response;
    const { id } = (await jsonIn(response)) ?? {};
    if ((await recordOf(w, String(id), call.who))?.status !== 'running') return response;
    w.hit();
    return conflict();
  }),
  way('create-with-instructions-boots', STARTS, (w) =>
    w.asked('create', ({ body }) =>
      body.provision === false && typeof body.instructions === 'string' ? { ...body, provision: true } : undefined,
    ),
  ),
  way('create-vault-with-the-first-boot', VAULT, (w) =>
    records(w, 'create get list update', (record) => {
      if (record.hostname === null && record.status === 'stopped') record.vault_id = null;
    }),
  ),
  way('create-vault-of-the-last-of-its-name', CREATES, (w) => {
    const left = new Map<unknown, unknown>();
    const taken = new Map<unknown, unknown>();
    return async (call, next) => {
      const before = call.op === 'delete' ? await recordOf(w, call.id) : undefined;
      const response = await records(w, 'create get list update', (record) => {
        if (call.op === 'create' && left.has(record.name)) taken.set(record.id, left.get(record.name));
        if (taken.has(record.id)) record.vault_id = taken.get(record.id);
      })(call, next);
      if (before !== undefined && response.ok) left.set(before.name, before.vault_id);
      return response;
    };
  }),
  way('create-answer-without-what-it-boots-with', 'Response `Intern`.', (w) =>
    w.ok('create', (record, { body }) => {
      if (body.provision === true) Object.assign(record, { description: null, instructions: null });
    }),
  ),
  way('create-trims-the-description', CREATES, (w) =>
    w.asked('create', ({ body }) =>
      typeof body.description === 'string' && body.description.trim() !== body.description
        ? { ...body, description: body.description.trim() }
        : undefined,
    ),
  ),
  way('create-reads-latin-1', CREATES, (w) =>
    w.asked('create', ({ body }) =>
      typeof body.description === 'string' && /[^\0-\x7f]/.test(body.description)
        ? { ...body, description: Buffer.from(body.description).toString('latin1') }
        : undefined,
    ),
  ),
];
