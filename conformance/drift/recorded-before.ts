import type { RecordedExchange } from '../../emulator/recording/format.js';
import type { Bindings } from '../../emulator/recording/template.js';
import type { RecordFields } from '../model/intern.js';
import { isRecord, recordOf } from '../probe/json.js';
import { aliasOf } from './compare.js';
import { WRITTEN_SETTINGS } from './compared.js';
import { isRead } from './exchange.js';
import { internAliasOf } from './schedule.js';
import { lastMessage, parsedBody } from './script.js';

/** An intern that was there before a recording began, as far as the recording shows it. */
export interface Likeness {
  readonly status: PriorStatus;
  readonly name?: string;
}

/** The statuses in which an intern stays until somebody acts. A status on the way to another counts as stopped. */
const SETTLED = ['running', 'stopped', 'failed', 'destroy_failed'] as const;
export type PriorStatus = (typeof SETTLED)[number];

const wentWell = ({ status }: RecordedExchange) => status !== null && status < 300;

/** The records of interns that an answer shows. */
function recordsIn(exchange: RecordedExchange): RecordFields[] {
  if (!wentWell(exchange)) return [];
  const body = parsedBody(exchange.body);
  if (!isRecord(body)) return [];
  if (/^(create|get|update)$/.test(exchange.operation ?? '')) return [body];
  return exchange.operation === 'list' && Array.isArray(body.data) ? body.data.filter(isRecord) : [];
}

/** The status of an intern before an operation, by its success. */
const STATUS_BEFORE: Readonly<Record<string, PriorStatus>> = {
  chat: 'running',
  invoke: 'running',
  daemon: 'running',
  suspend: 'running',
  provision: 'stopped',
};

/** Callers of another workspace see other interns. */
const isForeign = ({ request }: RecordedExchange) =>
  /\$(?:foreign|outsider)_/.test(request.headers.authorization ?? '');

/** The interns and settings that a recording needs and did not make itself. */
export function recordedBefore(all: readonly RecordedExchange[]) {
  const idsIn = (one: RecordedExchange) => recordsIn(one).flatMap((record) => aliasOf(record.id) ?? []);
  const created = new Set(all.filter(({ operation }) => operation === 'create').flatMap(idsIn));
  const lists = all.filter((one) => one.operation === 'list' && !isForeign(one));
  const written: { readonly n: number; readonly setting: string }[] = [];
  for (const alias of created) for (const key of WRITTEN_SETTINGS) written.push({ n: 0, setting: `${alias} ${key}` });
  for (const one of all) {
    if (one.operation !== 'update' || !wentWell(one)) continue;
    const sent = Object.keys(recordOf(parsedBody(one.request.body)));
    for (const key of sent) written.push({ n: one.n, setting: `${internAliasOf(one)} ${key}` });
  }
  const likenessOf = (alias: string): Likeness => {
    const records = all.flatMap(recordsIn).filter(({ id }) => aliasOf(id) === alias);
    const settled = (status: unknown) => SETTLED.find((one) => one === status) ?? 'stopped';
    const known = all.flatMap((one): PriorStatus[] => {
      if (!wentWell(one)) return [];
      const before = internAliasOf(one) === alias ? STATUS_BEFORE[one.operation ?? ''] : undefined;
      if (before !== undefined) return [before];
      return recordsIn(one).flatMap((shown) => (aliasOf(shown.id) === alias ? [settled(shown.status)] : []));
    });
    const name = records[0]?.name;
    return { status: known[0] ?? 'running', ...(typeof name === 'string' && /^[a-z]/.test(name) && { name }) };
  };
  const about = (alias: string) => all.filter((one) => internAliasOf(one) === alias);
  const isFound = (alias: string) => about(alias).some(({ status }) => status !== 404);
  const isSeen = ({ status }: RecordedExchange) => status !== 404 && status !== 401;
  return {
    /** Aliases of the interns that a create of the recording made: the replayed create makes them. */
    created,
    /** Aliases of the others that requests are about, where not each of these was answered 404. */
    there: new Set(
      all.flatMap((one) => internAliasOf(one) ?? []).filter((alias) => !created.has(alias) && isFound(alias)),
    ),
    /** Whether a request of the recording writes to it. A prompt does too. */
    isWrittenTo: (alias: string): boolean => about(alias).some((one) => !isRead(one)),
    /** Whether this is the intern whose own key the recording used: that key sees no other intern. */
    isOfOwnKey: (alias: string): boolean =>
      about(alias).some((one) => isSeen(one) && /\$own_key$/.test(one.request.headers.authorization ?? '')),
    /** Of the others, those that lists show, newest first. */
    listed: [...new Set(lists.flatMap(idsIn))].filter((alias) => !created.has(alias)),
    /** Settings that a request of the recording wrote before an exchange: `intern.1 name`. */
    writtenBefore: ({ n }: RecordedExchange): ReadonlySet<string> =>
      new Set(written.filter((one) => one.n <= n).map(({ setting }) => setting)),
    likenessOf,
  };
}
export type Before = ReturnType<typeof recordedBefore>;

/** The values that a request of an exchange needs from an earlier answer, for the same answer. */
function given(exchange: RecordedExchange): unknown[] {
  const { operation, status, request } = exchange;
  const body = parsedBody(request.body);
  const { session_id, vault_id } = recordOf(body);
  if (status === null) return [];
  if (operation === 'list' && wentWell(exchange)) return request.path.match(/\$cursor\.\d+/g) ?? [];
  if (operation === 'create' && wentWell(exchange)) return [vault_id];
  if (operation === 'scim' && wentWell(exchange)) return request.path.match(/\$job\.\d+/g) ?? [];
  if (operation === 'invoke' && wentWell(exchange)) return [session_id];
  if (operation !== 'chat') return [];
  if (status === 202) return [session_id];
  return [200, 409, 410].includes(status) ? [lastMessage(exchange).answers] : [];
}

/** The alias that a request cannot do without and that no answer gave: it was given before the recording began. */
export const unresolved = (exchange: RecordedExchange, bindings: Bindings): string | undefined =>
  given(exchange)
    .map(aliasOf)
    .find((alias) => alias !== undefined && bindings.get(alias) === undefined);

/** Whether a list ends where a recorded one went on, because interns are missing that the recording did not create. */
export function isShorter(recorded: unknown, live: unknown, bindings: Bindings): boolean {
  if (!isRecord(recorded) || !isRecord(live) || !('next_cursor' in recorded) || 'next_cursor' in live) return false;
  const all = Array.isArray(recorded.data) ? recorded.data.filter(isRecord) : [];
  return all.some(({ id }) => {
    const alias = aliasOf(id);
    return alias !== undefined && bindings.get(alias) === undefined;
  });
}
