import { rewritten } from '../../../emulator/wire/answer.js';
import { recordOf, records, rowsOf, way, withQuery } from '../blind32/helpers.js';
import { isJson, type Json } from '../call.js';
import type { Way } from '../world.js';

const NEWEST = 'Lists the interns visible to the key, newest first.';
const FILTERS = 'Filters: workspace, and one or more lifecycle statuses.';
const VAULT = 'Creating it also creates its private vault.';
const SETTINGS = 'Returns the public lifecycle state and settings of one visible intern.';
const CHANGES = 'Changes name, description, instructions or model.';
const OMITTED = 'Omitted fields stay unchanged.';

const statusesOf = (url: URL): string[] =>
  url.searchParams
    .getAll('status')
    .join(',')
    .split(',')
    .filter((status) => status !== '');
const CHANGEABLE = ['name', 'description', 'instructions', 'model'] as const;

export const interns: readonly Way[] = [
  way('list-filtered-oldest-first', NEWEST, (w) =>
    w.ok('list', (body, { url }) => {
      if (statusesOf(url).length > 0) rowsOf(body).reverse();
    }),
  ),
  way('list-of-all-statuses-at-once', FILTERS, (w) =>
    w.ok('list', (body, { url }) => {
      if (new Set(statusesOf(url)).size > 1) body.data = [];
    }),
  ),
  way('list-filter-misses-a-suspension', FILTERS, (w) => {
    const suspended = new Set<unknown>();
    return async (call, next) => {
      const wanted = statusesOf(call.url);
      if (call.op !== 'list' || !wanted.includes('running') || wanted.includes('stopped')) {
        const response = await next();
        if (call.op === 'suspend' && response.ok) suspended.add(call.id);
        if (call.op === 'provision') suspended.delete(call.id);
        return response;
      }
      const response = await next(withQuery(call, (query) => query.set('status', [...wanted, 'stopped'].join(','))));
      return rewritten(response, {
        json(body) {
          if (!response.ok || !isJson(body)) return;
          const stale = (row: Json) => row.status === 'stopped' && suspended.has(row.id);
          if (rowsOf(body).some(stale)) w.hit();
          body.data = rowsOf(body).filter((row) => row.status !== 'stopped' || stale(row));
        },
      });
    };
  }),
  way('create-vault-shared-in-a-burst', VAULT, (w) => {
    const shared = new Map<unknown, unknown>();
    let last: { at: number; vault: unknown } | undefined;
    return records(w, 'create get list update', (record, { op }) => {
      const at = w.setting.host.now();
      if (op === 'create' && !shared.has(record.id)) {
        const vault = last && at - last.at < 100 ? last.vault : record.vault_id;
        last = { at, vault };
        shared.set(record.id, vault);
      }
      record.vault_id = shared.get(record.id) ?? record.vault_id;
    });
  }),
  way('get-of-a-late-replica', SETTINGS, (w) => {
    const old = new Map<string, { at: number; record: Json }>();
    return async (call, next) => {
      const before = call.op === 'update' ? await recordOf(w, call.id, call.who) : undefined;
      const response = await next();
      if (before && response.ok) old.set(call.id, { at: w.setting.host.now(), record: before });
      const kept = call.op === 'get' && response.ok ? old.get(call.id) : undefined;
      if (kept === undefined || w.setting.host.now() - kept.at >= 300) return response;
      w.hit();
      return Response.json(kept.record);
    };
  }),
  way('update-lost-in-a-race', OMITTED, (w) => {
    const changes = new Map<string, number>();
    return async (call, next) => {
      const read = call.op === 'update' ? await recordOf(w, call.id, call.who) : undefined;
      if (read === undefined) return next();
      const before = changes.get(call.id);
      await w.setting.host.sleep(20);
      const whole = Object.fromEntries(CHANGEABLE.map((field) => [field, read[field]]));
      const raced = changes.get(call.id) !== before;
      changes.set(call.id, (changes.get(call.id) ?? 0) + 1);
      return raced ? w.asked('update', ({ body }) => ({ ...whole, ...body }))(call, next) : next();
    };
  }),
  way('update-takes-one-field', CHANGES, (w) =>
    w.asked('update', ({ body }) => {
      const given = CHANGEABLE.filter((field) => body[field] !== undefined);
      const [first] = given;
      return first === undefined || given.length === 1 ? undefined : { [first]: body[first] };
    }),
  ),
];
