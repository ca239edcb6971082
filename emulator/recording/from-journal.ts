import type { Journaled } from '../contract/journal-entry.js';
import { REDACTED } from '../credentials/redaction.js';
import { BASE } from '../http/route.js';
import { createAliases } from './aliases.js';
import { type RawExchange, toRecorded } from './exchange.js';
import type { LeftOut } from './format.js';
import { fromVersion, originForm } from './request-target.js';

/** Bytes that a body may decode to: the journal keeps less. */
const LIMIT = 1_048_576;
const ENDED = { complete: 'complete', client_left: 'client', dropped: 'broken' } as const;

/** The credential that a caller used, by the operation; the journal has none. */
function credentialOf(entry: Journaled, callers: Readonly<Record<string, string>>): string {
  const { caller, operation } = entry;
  if (operation === 'scim') return 'management_key';
  // A person's token is served there. A caller that gets 403 came with an API key, or with less than it needs.
  if ((operation === 'sign' || operation === 'daemon') && entry.response.status !== 403) return 'oauth_token';
  if (caller?.startsWith('intern:') === true) return 'own_key';
  return callers[caller ?? ''] ?? '';
}

/** A value that stands for a credential, and gets its alias. */
const placeholderOf = (credential: string, caller: string | null): string =>
  credential === '' ? `credential-of-${caller ?? 'nobody'}` : `named-credential-${credential}`;

/** Gives each redacted credential of a body a different value. Equal ones would share an alias. */
function apart(body: string | null, place: string): string | null {
  let count = 0;
  return body?.replaceAll(REDACTED, () => `redacted-${place}-${++count}`) ?? null;
}

/** The secrets that an answer shows, by their names: the fingerprint of each. */
const secretsIn = ({ response }: Journaled): readonly (readonly [name: string, fingerprint: string])[] =>
  [...(response.body ?? '').matchAll(/"name":"(\w+)"[^{}]*?"fingerprint":"(\w+)"/g)].map(([, name = '', of = '']) => [
    name,
    of,
  ]);

/**
 * The value of a secret, by its fingerprint. Secrets of one vault with one fingerprint have one value. Each vault has fingerprints
 * of its own, and a copied secret has the value of the secret in the workspace.
 */
function valuesOf(entries: readonly Journaled[]): (fingerprint: string) => string {
  const values = new Map<string, string>();
  const inWorkspace = new Map<string, string>();
  const equalTo = (fingerprint: string) => values.get(fingerprint) ?? fingerprint;
  for (const entry of entries)
    for (const [name, fingerprint] of secretsIn(entry)) {
      const copied = entry.operation === 'vault-copy' ? inWorkspace.get(name) : undefined;
      if (copied !== undefined) values.set(fingerprint, equalTo(copied));
      if (/\/vault\/secrets\b/.test(entry.request.url)) inWorkspace.set(name, fingerprint);
    }
  return equalTo;
}

/** The body of a request. */
function sent(entry: Journaled, n: number, equalTo: (fingerprint: string) => string): string | null {
  const [[, fingerprint] = []] = secretsIn(entry);
  return apart(entry.request.body, fingerprint === undefined ? `request-${n}` : equalTo(fingerprint));
}

const bytesOf = (text: string | null): Uint8Array => Buffer.from(text ?? '');

function rawOf(
  entry: Journaled,
  n: number,
  since: number,
  callers: Readonly<Record<string, string>>,
  equalTo: (fingerprint: string) => string,
): RawExchange | undefined {
  const { request, response, writes, closed } = entry;
  const path = fromVersion(originForm(request.url));
  // A request under way has no answer yet; the daemons are no part of a recording, nor are hosts, so neither is a refusal for one.
  if (
    entry.requirement === 'BASE-4' ||
    !path.startsWith(`${BASE}/`) ||
    entry.operation === 'daemon-request' ||
    entry.ms === null ||
    (writes !== undefined && closed === undefined)
  )
    return undefined;
  const at = Date.parse(entry.at);
  const { authorization, ...others } = request.headers;
  const bearer = `Bearer ${placeholderOf(credentialOf(entry, callers), entry.caller)}`;
  const without = (body: string | null, why: string): LeftOut => ({ length: bytesOf(body).length, why });
  const CUT = 'the journal keeps the beginning of what is long';
  // The missing text may be the reason of a refusal.
  const unknown = response.status !== null && response.status >= 400 && request.body?.includes(REDACTED) === true;
  return {
    n,
    scenario: null,
    at: at - since,
    method: request.method,
    path,
    requestHeaders: authorization === undefined ? others : { ...others, authorization: bearer },
    requestBody: bytesOf(sent(entry, n, equalTo)),
    status: response.status,
    headers: response.headers,
    writes:
      writes?.map((write) => ({ at: Date.parse(write.at) - at, bytes: bytesOf(write.text) })) ??
      (response.body === null ? [] : [{ at: entry.ms, bytes: bytesOf(apart(response.body, `answer-${n}`)) }]),
    ended: closed === undefined ? (response.status === null ? 'broken' : 'complete') : ENDED[closed.how],
    ...(entry.truncated === true
      ? { leftOut: { request: without(request.body, CUT), answer: without(response.body, CUT) } }
      : unknown && { leftOut: { request: without(request.body, 'the journal keeps no credential') } }),
  };
}

/**
 * Entries of the journal as a recording (REC-1): what `--replay` and `drift` read. Requests under way are left out, and
 * those to a regional host.
 * `callers` are the callers whose credentials have a name: `{alice: 'api_key'}`.
 */
export async function recordingOf(
  entries: readonly Journaled[],
  callers: Readonly<Record<string, string>>,
): Promise<string> {
  const names = ['management_key', 'oauth_token', 'own_key', ...Object.values(callers)];
  const aliases = createAliases(new Map(names.map((name) => [placeholderOf(name, null), `$${name}`])));
  const since = Date.parse(entries[0]?.at ?? '');
  const equalTo = valuesOf(entries);
  const lines: string[] = [];
  for (const entry of entries) {
    const raw = rawOf(entry, lines.length + 1, since, callers, equalTo);
    if (raw !== undefined) lines.push(`${JSON.stringify(await toRecorded(aliases, raw, LIMIT))}\n`);
  }
  return lines.join('');
}
