import { jsonIn, recordOf, records, rowsOf, SECOND, way } from '../blind32/helpers.js';
import { type Call, type Json, withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { isKnown, served, showing } from './helpers.js';

const RETRY = 'A retry with the same idempotency key and the same body resumes unfinished work.';
const CREATES = '| create_intern | Valid body | Creates the intern and its private vault.';
const VAULT = 'Creating it also creates its private vault.';
const PRIVATE =
  'An intern is a managed agent runtime with its own disk, configuration and private vault, living in one explicit workspace.';
const SELECTS = 'The API key selects the caller, the workspace and the visible interns.';
const SETTINGS = 'Returns the public lifecycle state and settings of one visible intern.';

const keyOf = ({ request }: Call): string => request.headers.get('idempotency-key') ?? '';
const RECORDS = 'create get list update';
const text = (value: unknown, change: (text: string) => string) => (typeof value === 'string' ? change(value) : value);

export const creates: readonly Way[] = [
  way('retry-after-a-rename-makes-another', RETRY, (w) => {
    const made = new Map<string, Json>();
    return async (call, next) => {
      const key = keyOf(call);
      if (call.op !== 'create' || key === '') return next();
      const first = made.get(call.who + key);
      const now = first && (await recordOf(w, String(first.id), call.who));
      if (now && now.name !== first.name)
        return served(w, next, withHeaders(call, { 'idempotency-key': crypto.randomUUID() }));
      const response = await next();
      const record = await jsonIn(response);
      if (record) made.set(call.who + key, record);
      return response;
    };
  }),
  way('retry-boots-a-suspended-intern', RETRY, (w) => {
    const booted = new Set<unknown>();
    return async (call, next) => {
      const response = await next();
      const replayed = call.op === 'create' && response.status === 200 ? await jsonIn(response) : undefined;
      const now = replayed && (await recordOf(w, String(replayed.id), call.who));
      if (call.body.provision === true && now?.status === 'stopped') {
        await w.ask('POST', `/interns/${now.id}/provision`, { as: call.who });
        booted.add(now.id);
      } else if (call.op !== 'create')
        await showing(w, call, response, ({ id, status }) => booted.has(id) && status !== 'stopped');
      if (call.op === 'provision') booted.delete(call.id);
      return response;
    };
  }),
  way('idempotency-key-of-32-characters', CREATES, (w) => {
    const kept = new Map<string, string>();
    return async (call, next) => {
      const key = keyOf(call);
      if (call.op !== 'create' || key.length <= 32) return next();
      const cut = key.slice(0, 32);
      const before = kept.get(call.who + cut);
      const response = await next(withHeaders(call, { 'idempotency-key': cut }));
      if (response.ok && before === undefined) kept.set(call.who + cut, key);
      if (before !== undefined && before !== key) w.hit();
      return response;
    };
  }),
  way('idempotency-across-workspaces', SELECTS, (w) => {
    const made = new Map<string, { record: Json; foreign: boolean }>();
    return async (call, next) => {
      const key = `${keyOf(call)} ${call.text}`;
      if (call.op !== 'create' || keyOf(call) === '' || !isKnown(call)) return next();
      const foreign = call.who === 'foreign_api_key';
      const before = made.get(key);
      if (before && before.foreign !== foreign) {
        w.hit();
        return Response.json(before.record);
      }
      const response = await next();
      const record = await jsonIn(response);
      if (record) made.set(key, { record, foreign });
      return response;
    };
  }),
  way('vault-goes-with-the-name', VAULT, (w) => {
    const vaults = new Map<unknown, unknown>();
    const old = new Map<unknown, unknown>();
    return records(w, RECORDS, (record, { op }) => {
      if (op === 'create' && !old.has(record.id)) {
        old.set(record.id, vaults.get(record.name) ?? record.vault_id);
        vaults.set(record.name, old.get(record.id));
      }
      record.vault_id = old.get(record.id) ?? record.vault_id;
    });
  }),
  way('vault-comes-with-the-first-boot', VAULT, (w) => {
    const booted = new Set<unknown>();
    return records(w, RECORDS, (record) => {
      if (record.hostname !== null || /^(queued|provisioning)$/.test(String(record.status))) booted.add(record.id);
      if (!booted.has(record.id)) record.vault_id = null;
    });
  }),
  way('vault-holds-the-workspaces-secrets', PRIVATE, (w) => async (call, next) => {
    const shared = call.op === 'vault-list' ? await jsonIn(await w.ask('GET', '/vault/secrets', { as: call.who })) : {};
    return w.ok('vault-list', (body) => {
      body.data = [...rowsOf(body), ...rowsOf(shared ?? {})];
    })(call, next);
  }),
  way('vault-listing-kept-by-workspace', PRIVATE, (w) => {
    let kept: { at: number; text: string; id: string } | undefined;
    return w.later('vault-list', async (response, { id, who }) => {
      const now = w.setting.host.now();
      if (!response.ok || who === 'foreign_api_key') return undefined;
      const body = await response.clone().text();
      if (kept === undefined || kept.id === id || now - kept.at >= 10 * SECOND) kept = { at: now, text: body, id };
      else if (kept.text !== body) return Response.json(JSON.parse(kept.text));
      return undefined;
    });
  }),
  way('description-escaped', SETTINGS, (w) =>
    records(w, RECORDS, (record) => {
      record.description = text(record.description, (said) => said.replaceAll('&', '&amp;').replaceAll('<', '&lt;'));
    }),
  ),
  way('instructions-trimmed', SETTINGS, (w) =>
    records(w, RECORDS, (record) => {
      record.instructions = text(record.instructions, (said) => said.trim());
    }),
  ),
  way('instructions-cut-at-16384', SETTINGS, (w) =>
    records(w, RECORDS, (record) => {
      record.instructions = text(record.instructions, (said) => said.slice(0, 16_384));
    }),
  ),
  way('characters-of-four-bytes-lost', SETTINGS, (w) =>
    records(w, RECORDS, (record) => {
      for (const field of ['description', 'instructions'])
        record[field] = text(record[field], (said) => said.replace(/[\u{10000}-\u{10ffff}]/gu, '\ufffd'));
    }),
  ),
  way('line-ends-of-another-system', SETTINGS, (w) =>
    records(w, RECORDS, (record) => {
      record.instructions = text(record.instructions, (said) => said.replaceAll('\r\n', '\n'));
    }),
  ),
];
