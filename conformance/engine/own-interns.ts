import { GATEWAY, READS } from '../habits/visit.js';
import { isRecord } from '../probe/json.js';
import type { CredentialName } from '../probe/request.js';
import type { Ledger } from './ledger.js';
import { createOwnThings, decoded, secretPrefixOf } from './own-things.js';

/** Ids that stand in a path as they are, and mean nothing else there. */
export const PLAIN = /^[A-Za-z0-9_~:@=+-][A-Za-z0-9._~:@=+-]{0,254}$/;

/** Whether an id of an intern can be put into a path without leading anywhere else. */
export const isPlainId = (id: unknown): id is string => typeof id === 'string' && PLAIN.test(id);

/** Servers compare paths in any case, and some take two slashes for one. */
const INTERNS = /\/interns(?:\/+([^/]*)(.*))?$/i;

/** The subject of a request: all interns, one of them, or none. */
type Place =
  | { readonly of: 'none' }
  | { readonly of: 'all' }
  | { readonly of: 'one'; readonly id: string; readonly rest: string };

/** The place that an address leads to once it is normalized, as it is when it is sent. */
function placeOf(url: string): Place {
  const found = INTERNS.exec(new URL(url).pathname);
  if (found === null) return { of: 'none' };
  const [, segment = '', rest = ''] = found;
  if (segment === '') return { of: 'all' };
  return { of: 'one', id: decoded(segment), rest };
}

/** A request as the rule looks at it. */
export interface Leaving {
  readonly method: string;
  readonly url: string;
  /** Its body: a JSON value, or the text or bytes that are sent. */
  readonly body?: unknown;
  readonly as: CredentialName;
  /** Its idempotency key. */
  readonly key?: string | undefined;
}

/** A create that has left. */
export interface Asked {
  readonly name: string | undefined;
  readonly key: string | undefined;
  readonly as: CredentialName;
  /** Place among all that the run has sent and seen. */
  readonly at: number;
}

/** Why a request must not leave. */
export interface Refusal {
  readonly because: 'every intern' | 'not made' | 'reads as another' | 'renamed' | 'another thing';
  readonly id?: string;
  /** The name that the intern bears, and the one that the run gave it. */
  readonly name?: string | undefined;
  readonly asked?: string | undefined;
}

/** The permission of a request. */
export type Permit =
  | { readonly kind: 'free' }
  | { readonly kind: 'create'; readonly asked: Asked }
  /** It writes to an intern of the run. `unread`: nothing has shown it under its name yet. */
  | { readonly kind: 'own'; readonly id: string; readonly as: CredentialName; readonly unread: boolean }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** The outcome of a create for the run. */
export type Made =
  | { readonly kind: 'own'; readonly id: string }
  /** An intern that the run has already, as a retry answers it. */
  | { readonly kind: 'again'; readonly id: string }
  | { readonly kind: 'nothing' }
  | {
      readonly kind: 'not own';
      readonly because: 'no plain id' | 'another name' | 'there before' | 'made for another create';
      readonly id: unknown;
      readonly name: unknown;
      readonly asked: string | undefined;
    };

interface Own {
  readonly as: CredentialName;
  readonly made: Asked | undefined;
  /** Names that the run gave it, the first of them at its create. */
  readonly names: Set<string>;
  readonly keys: Set<string>;
  /** The first name under which it was shown that the run did not give it. */
  strange?: string;
  /** Whether its own address has shown it under a name that the run gave it: writes go where that read went. */
  known: boolean;
  /** Whether a list has shown it under such a name. */
  listed: boolean;
  /** When it was last shown under one. */
  at?: number;
}

/** Ids are compared in any case: a service may find an intern by either spelling. */
const folded = (id: string) => id.toLowerCase();

function textOf(body: unknown): string {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  if (Array.isArray(body) && body.every((part) => part instanceof Uint8Array)) return textOf(Buffer.concat(body));
  return '';
}

/** The name in a body, also in one that is no JSON: a service may take it all the same. */
function nameIn(body: unknown): string | undefined {
  if (isRecord(body) && 'name' in body) return typeof body.name === 'string' ? body.name : undefined;
  const text = textOf(body);
  if (text === '') return undefined;
  try {
    const { name } = JSON.parse(text) as { name?: unknown };
    return typeof name === 'string' ? name : undefined;
  } catch {
    return /"name"\s*:\s*"([^"\\]*)"/.exec(text)?.[1];
  }
}

/** ms after which an intern is read anew before it is taken away. */
const LATELY = 5_000;

/** A proof changes nothing of the intern that it is for. */
const SIGNS = /\/sign\/?$/i;

export interface OwnOptions {
  readonly ledger: Ledger;
  /** How all names begin that the run gives by itself. */
  readonly prefix?: string;
  /** An intern that was named to the run, which may ask for proofs there and write nothing. */
  readonly lent?: string | undefined;
  /** ms, for what was read a moment ago. */
  readonly now?: () => number;
  /** The SCIM group that was named to the run, for mappings that it makes and deletes. */
  readonly group?: string | undefined;
  /** Whether it may start a sync of the directory. */
  readonly syncs?: boolean;
  /** Whether nobody else has interns there: then what is meant for all of them meets those of the run alone. */
  readonly alone?: boolean;
}

/**
 * The interns that a run made, and with them the rule that nothing else is ever written to: every request passes `leaves`
 * before it is sent, and every answer passes `answered`. An id is the run's own only where a create answered it with the
 * name that was asked for, nothing has shown it before that create left, and it is a plain id.
 */
export function createOwnInterns({ ledger, prefix, lent, group, syncs = false, alone = false, now: time }: OwnOptions) {
  const own = new Map<string, Own>();
  const nobody = new Set<string>();
  /** Ids that were shown under a name that is not the run's. */
  const others = new Set<string>();
  /** When an id was first shown by anything but the answer to a create, and when a name was first asked for. */
  const shown = new Map<string, number>();
  const asked = new Map<string, number>();
  const flying = new Set<Asked>();
  const things = createOwnThings({
    ledger,
    prefix: prefix === undefined ? undefined : secretPrefixOf(prefix),
    group,
    syncs,
    alone,
    madeUp: (id) => nobody.has(id),
  });
  let now = 0;
  let count = 0;
  /** Whether addresses of interns of the run lead to them, as far as was seen: else no list says where a write goes. */
  let leads: boolean | undefined;

  const prefixed = (name: unknown): name is string =>
    prefix !== undefined && typeof name === 'string' && name.startsWith(prefix);
  // A ledger is a file that others may have written: names in it prove nothing by themselves.
  for (const { id, as } of ledger.open())
    if (isPlainId(id))
      own.set(id, { as, made: undefined, names: new Set(), keys: new Set(), known: false, listed: false });

  /** Whether a name is one that the run gave this intern, or begins as all its names do. */
  const bears = (id: string, name: unknown): boolean =>
    prefixed(name) || (typeof name === 'string' && own.get(id)?.names.has(name) === true);

  const bearsNow = (id: string, name: string, byItself: boolean) => {
    const one = own.get(id);
    if (one === undefined) return;
    if (!bears(id, name)) {
      one.strange ??= name;
      if (byItself) leads = false;
    } else if (byItself) {
      one.known = true;
      leads ??= true;
    } else one.listed = true;
    const at = time?.();
    if (one.strange === undefined && at !== undefined) one.at = at;
  };

  const toOne = ({ method, body }: Leaving, id: string, rest: string): Permit => {
    const one = own.get(id);
    if (one === undefined) {
      if (nobody.has(id) && !shown.has(folded(id))) return { kind: 'free' };
      if (id === lent && SIGNS.test(rest)) return { kind: 'free' };
      return { kind: 'refused', refusal: { because: 'not made', id } };
    }
    if (one.strange !== undefined) {
      const [first] = one.names;
      const because = one.known ? 'renamed' : 'reads as another';
      return { kind: 'refused', refusal: { because, id, name: one.strange, asked: first } };
    }
    const name = method === 'PATCH' && rest === '' ? nameIn(body) : undefined;
    if (name !== undefined) one.names.add(name);
    return { kind: 'own', id, as: one.as, unread: !one.known && !(one.listed && leads === true) };
  };

  return {
    /** A request is about to leave. */
    leaves(request: Leaving): Permit {
      const { method, url, body, as, key } = request;
      const place = placeOf(url);
      if (READS.has(method)) return { kind: 'free' };
      if (things.leaves(request) === false) return { kind: 'refused', refusal: { because: 'another thing' } };
      if (place.of === 'none') return { kind: 'free' };
      if (place.of === 'one') return toOne(request, place.id, place.rest);
      if (method !== 'POST')
        return alone ? { kind: 'free' } : { kind: 'refused', refusal: { because: 'every intern' } };
      const name = nameIn(body);
      now++;
      if (name !== undefined && !asked.has(name)) asked.set(name, now);
      ledger.write({ event: 'creating', name: name ?? '', as });
      const create = { name, key, as, at: now };
      flying.add(create);
      return { kind: 'create', asked: create };
    },

    /** The answer to a create, by what `leaves` gave for it. */
    answered(create: Asked, status: number, answer: unknown): Made {
      // The service may have done a request that its gateway answered.
      if (!GATEWAY.has(status)) flying.delete(create);
      const { id, name } = isRecord(answer) ? answer : {};
      if (status >= 300 || id === undefined || id === null) return { kind: 'nothing' };
      const not = (because: Extract<Made, { kind: 'not own' }>['because']): Made => ({
        kind: 'not own',
        because,
        id,
        name,
        asked: create.name,
      });
      if (!isPlainId(id)) return not('no plain id');
      const before = own.get(id);
      if (before !== undefined) {
        const same = create.key !== undefined && before.keys.has(create.key);
        if (!same && (create.name === undefined || !before.names.has(create.name)))
          return not('made for another create');
        if (create.key !== undefined) before.keys.add(create.key);
        return { kind: 'again', id };
      }
      if (create.name === undefined || name !== create.name) return not('another name');
      const since = shown.get(folded(id));
      if (nobody.has(id) || (since !== undefined && since < (asked.get(name) ?? create.at))) return not('there before');
      const keys = new Set(create.key === undefined ? [] : [create.key]);
      own.set(id, { as: create.as, made: create, names: new Set([name]), keys, known: false, listed: false });
      ledger.write({ event: 'created', id, name, as: create.as });
      count++;
      return { kind: 'own', id };
    },

    /** The JSON that an address answered to anything but a create: who bears which name. */
    shows(url: string, answer: unknown) {
      things.shows(url, answer);
      const place = placeOf(url);
      if (place.of === 'none' || !isRecord(answer)) return;
      now++;
      for (const record of Array.isArray(answer.data) ? answer.data : [answer]) {
        if (!isRecord(record) || typeof record.id !== 'string') continue;
        const { id, name } = record;
        if (!shown.has(folded(id))) shown.set(folded(id), now);
        if (typeof name !== 'string') continue;
        if (!bears(id, name)) others.add(folded(id));
        const at = place.of === 'one' && place.rest === '' ? place.id : undefined;
        if (id !== at) bearsNow(id, name, false);
        // Whatever id the record bears.
        if (at !== undefined) bearsNow(at, name, true);
      }
    },

    /** Notes an id that the kit made up: writes to it reach nobody. */
    /** Whether nothing has shown an intern of the run yet: it is read before it is taken away. */
    isUnshown(id: string): boolean {
      const one = own.get(id);
      return one !== undefined && !one.known && !(one.listed && leads === true);
    },
    /** Whether the run made the id up: nobody has it. */
    isMadeUp: (id: string) => nobody.has(id),
    madeUp(id: string) {
      nobody.add(id);
      return id;
    },
    bears,
    /** Whether it was read under such a name so short a time ago that it need not be read again before it is taken away. */
    lately(id: string) {
      const { at } = own.get(id) ?? {};
      return at !== undefined && time !== undefined && time() - at < LATELY;
    },
    /** How many interns the run has made, by an answer or as they were found. */
    count: () => count,
    /** The create that made an intern of the run. */
    madeBy: (id: string) => own.get(id)?.made,

    /** Takes an intern for the run's own whose create was never answered: its name begins as only those of the run do. */
    adopts({ id, name }: { readonly id: unknown; readonly name: unknown }, as: CredentialName) {
      if (!isPlainId(id) || !prefixed(name) || others.has(folded(id))) return false;
      if (!own.has(id)) {
        own.set(id, { as, made: undefined, names: new Set([name]), keys: new Set(), known: false, listed: false });
        count++;
      }
      ledger.write({ event: 'created', id, name, as });
      for (const create of flying) if (create.name === name) flying.delete(create);
      return true;
    },

    /** Whether a create has left that nothing has answered but a gateway: what it made may show only later. */
    unanswered: () => flying.size > 0,

    /** Everything is gone, and ids may be given anew. */
    forget() {
      flying.clear();
      things.forget();
      for (const known of [own, shown, asked, others]) known.clear();
      for (const { id } of ledger.open()) ledger.write({ event: 'gone', id });
    },
  };
}
export type OwnInterns = ReturnType<typeof createOwnInterns>;
