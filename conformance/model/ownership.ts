import { type Made, READS } from '../habits/dealings.js';
import { GATEWAY } from '../probe/gateway.js';
import { isRecord } from '../probe/json.js';
import type { CredentialName } from '../probe/request.js';
import { type Answered, type Asked, jsonOf } from './exchange.js';
import { decoded } from './operations.js';

/** Ids that stand in a path as they are, and mean nothing else there. */
export const PLAIN = /^[A-Za-z0-9_~:@=+-][A-Za-z0-9._~:@=+-]{0,254}$/;

/** Whether an id of an intern can be put into a path without leading anywhere else. */
export const isPlainId = (id: unknown): id is string => typeof id === 'string' && PLAIN.test(id);

/** Servers compare paths in any case, and some take two slashes for one. */
const INTERNS = /\/interns(?:\/+([^/]*)(.*))?$/i;
const SECRETS = /\/vault\/+secrets(?:\/+(.*))?$/i;
const COPY = /\/vault\/+interns\/+[^/]+\/+secrets\/+copy\/*$/i;
const MAPPINGS = /\/scim\/+group-mappings(?:\/+([^/]*))?\/*$/i;
const SYNCS = /\/scim\/+sync-jobs\/*$/i;
const SCIM = /\/scim(?:\/|$)/i;
/** A proof changes nothing of the intern that it is for. */
const SIGNS = /\/sign\/?$/i;

/** How the names of secrets begin that a run gives, by how its interns are named: they have no hyphens. */
export const secretPrefixOf = (prefix: string): string => prefix.replaceAll('-', '_');

/** Whether a path of a ledger is that of a mapping. */
export const isMappingPath = (path: string): boolean => MAPPINGS.test(path);

/** A path once it is normalized, as it is when it is sent. */
const normal = ({ path }: Pick<Asked, 'path'>): string => new URL(`http://any${path}`).pathname;

/** Ids are compared in any case: a service may find a thing by either spelling. */
const folded = (id: string) => id.toLowerCase();
export const same = (one: unknown, other: string | undefined) =>
  typeof one === 'string' && other !== undefined && folded(one) === folded(other);

/** The interns that a path leads to: all, one of them, or none. */
const reached = (path: string): { readonly id: string; readonly rest: string } | 'all' | undefined => {
  const [found, segment = '', rest = ''] = INTERNS.exec(path) ?? [];
  if (found === undefined) return undefined;
  return segment === '' ? 'all' : { id: decoded(segment), rest };
};

/** The name in a body, also in one that is no JSON: a service may take it all the same. */
function nameIn(asked: Pick<Asked, 'body'>): string | undefined {
  const json = jsonOf(asked);
  if (json !== undefined) return isRecord(json) && typeof json.name === 'string' ? json.name : undefined;
  return asked.body.kind === 'some' ? /"name"\s*:\s*"([^"\\]*)"/.exec(asked.body.text)?.[1] : undefined;
}

/** A line of the account of what a run has made. `creating` is written before the request leaves, `deleting` once its delete was accepted. */
export type LedgerEntry =
  | { readonly event: 'run'; readonly run: string; readonly url: string; readonly prefix: string; readonly at: string }
  | { readonly event: 'creating'; readonly name: string; readonly as: CredentialName }
  | { readonly event: 'created'; readonly id: string; readonly name: string; readonly as: CredentialName }
  | { readonly event: 'deleting'; readonly id: string }
  | { readonly event: 'gone'; readonly id: string }
  /** Something that is taken away by a DELETE of its path: a secret of the workspace, before it is stored; a mapping. */
  | { readonly event: 'stored'; readonly path: string; readonly as: CredentialName }
  | { readonly event: 'removed'; readonly path: string; readonly as: CredentialName };

/** Secrets and mappings that a run has stored outside of its interns. */
export interface Stored {
  /** Below the base. */
  readonly path: string;
  readonly as: CredentialName;
}

/** A request as it is asked for leave. */
export type Leaving = Pick<Asked, 'method' | 'path' | 'body'> & { readonly as: CredentialName };

/** A request and its answer, as far as they say whose a thing is. */
export type Heard = Pick<Asked, 'number' | 'path'> & Pick<Answered, 'status' | 'json'>;

/** Why a request must not leave. */
export interface NotAllowed {
  readonly because: 'every intern' | 'not made' | 'reads as another' | 'renamed' | 'another thing';
  readonly id?: string;
  /** The name that the intern bears, and the one that the run gave it. */
  readonly name?: string | undefined;
  readonly asked?: string | undefined;
}

/** The permission of a request. */
type Permit =
  | { readonly kind: 'free' }
  /** It writes to an intern of the run. `unread`: nothing has shown it under its name yet. */
  | { readonly kind: 'own'; readonly id: string; readonly as: CredentialName; readonly unread: boolean }
  | { readonly kind: 'refused'; readonly refusal: NotAllowed };

/** The result of a create for the run: an intern, one that it has already, nothing, or one that is not its own. */
export type CreateOutcome =
  | { readonly kind: 'own' | 'again'; readonly id: string }
  | { readonly kind: 'nothing' }
  | {
      readonly kind: 'not own';
      readonly because: 'no plain id' | 'another name' | 'there before' | 'made for another create';
      readonly id: unknown;
      readonly name: unknown;
      readonly asked: string | undefined;
    };

/** A create that has left. */
interface Create {
  readonly name: string | undefined;
  readonly key: string | undefined;
  readonly as: CredentialName;
}

interface Own {
  readonly as: CredentialName;
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

/** ms after which an intern is read anew before it is taken away. */
const LATELY = 5_000;

interface OwnershipOptions {
  /** The lines that outlive the run, and those of an earlier one. */
  readonly ledger: { write(entry: LedgerEntry): void; readonly entries: readonly LedgerEntry[] };
  /** How all names begin that the run gives by itself. */
  readonly prefix?: string;
  /** An intern that was named to the run, which may ask for proofs there and write nothing. */
  readonly lent?: string | undefined;
  /** The SCIM group that was named to the run, for mappings that it makes and deletes. */
  readonly group?: string | undefined;
  /** Whether it may start a sync of the directory. */
  readonly syncs?: boolean;
  /** Whether nobody else has interns there: then what is meant for all of them meets those of the run alone. */
  readonly alone?: boolean;
  /** ms, on the clock of the exchanges. */
  now?(): number;
}

/**
 * The things that a run made, and with them the rule that nothing else is ever written to: every request is permitted before it
 * leaves, and every answer is seen. An intern is the run's own only where a create answered it with the name that was asked
 * for, nothing has shown it before that create left, and its id is a plain one. Outside of interns the run writes secrets of the
 * workspace whose names bear its prefix, and mappings of the one group that was named to it. A sync of the directory cannot be taken
 * back: it is started only where nobody else is, and by leave.
 */
export function createOwnership(options: OwnershipOptions) {
  const { ledger, prefix, lent, group, syncs = false, alone = false, now: time } = options;
  const own = new Map<string, Own>();
  const nobody = new Set<string>();
  /** Ids that were shown under a name that is not the run's. */
  const others = new Set<string>();
  /** When an id was first shown by anything but the answer to a create, and when a name was first asked for. */
  const shown = new Map<string, number>();
  const asked = new Map<string, number>();
  /** Creates by their numbers, those that nothing has answered but a gateway, and the interns that they gave. */
  const creates = new Map<number, Create>();
  const flying = new Set<Create>();
  const gave = new Map<number, string>();
  const mappings = new Set<string>();
  const open = new Map<string, Made>();
  const creators = new Set<CredentialName>();
  const stored = new Map<string, Stored>();
  let now = 0;
  let count = 0;
  /** Whether addresses of interns of the run lead to them, as far as was seen: else no list says where a write goes. */
  let leads: boolean | undefined;

  const prefixed = (name: unknown): name is string =>
    prefix !== undefined && typeof name === 'string' && name.startsWith(prefix);
  const isSecret = (name: string) => prefix !== undefined && folded(name).includes(secretPrefixOf(prefix));
  const has = (id: string, as: CredentialName, { name, key }: Partial<Create> = {}) => {
    const [names, keys] = [new Set<string>(), new Set<string>()];
    if (name !== undefined) names.add(name);
    if (key !== undefined) keys.add(key);
    own.set(id, { as, names, keys, known: false, listed: false });
  };
  /** Notes what was made, or is gone. */
  const note = (entry: LedgerEntry) => {
    ledger.write(entry);
    if (entry.event === 'creating') creators.add(entry.as);
    else if (entry.event === 'created') open.set(entry.id, { id: entry.id, name: entry.name, as: entry.as });
    else if (entry.event === 'deleting') {
      const one = open.get(entry.id);
      if (one !== undefined) open.set(entry.id, { ...one, deleting: true });
    } else if (entry.event === 'gone') open.delete(entry.id);
    else if (entry.event === 'stored') stored.set(`${entry.as} ${entry.path}`, { path: entry.path, as: entry.as });
    else if (entry.event === 'removed') stored.delete(`${entry.as} ${entry.path}`);
  };
  for (const entry of ledger.entries) note(entry);
  // A ledger is a file that others may have written: names in it prove nothing by themselves.
  for (const { id, as } of open.values()) if (isPlainId(id)) has(id, as);
  for (const { path } of stored.values()) {
    const id = MAPPINGS.exec(path)?.[1];
    if (id !== undefined) mappings.add(folded(decoded(id)));
  }

  /** Whether a name is one that the run gave this intern, or begins as all its names do. */
  const bears = (id: string, name: unknown): boolean =>
    prefixed(name) || (typeof name === 'string' && own.get(id)?.names.has(name) === true);
  const isUnread = ({ known, listed }: Own): boolean => !known && !(listed && leads === true);

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

  const toOne = (id: string, rest: string): Permit => {
    const refused = (refusal: NotAllowed): Permit => ({ kind: 'refused', refusal });
    const one = own.get(id);
    if (one === undefined) {
      const isNobodys = nobody.has(id) && !shown.has(folded(id));
      return isNobodys || (id === lent && SIGNS.test(rest)) ? { kind: 'free' } : refused({ because: 'not made', id });
    }
    if (one.strange === undefined) return { kind: 'own', id, as: one.as, unread: isUnread(one) };
    const [first] = one.names;
    return refused({ because: one.known ? 'renamed' : 'reads as another', id, name: one.strange, asked: first });
  };

  /**
   * Whether a write may leave that is about the vault of a workspace or the directory. Undefined where it is about neither.
   * `false`: it would change, copy or name what the run did not make.
   */
  const toThing = (path: string, leaving: Leaving): boolean | undefined => {
    const { as, method } = leaving;
    const bodyOf = () => {
      const json = jsonOf(leaving);
      return isRecord(json) ? json : {};
    };
    if (COPY.test(path)) {
      // Names that the run did not give are others' secrets.
      const given = alone ? undefined : bodyOf().names;
      const names = Array.isArray(given) ? given : [];
      return names.every((name) => typeof name !== 'string' || isSecret(name)) ? undefined : false;
    }
    const secret = SECRETS.exec(path);
    if (secret !== null) {
      const name = decoded(secret[1] ?? '');
      if (!isSecret(name)) return alone;
      const at = `/vault/secrets/${encodeURIComponent(name)}`;
      if (method === 'PUT' && !stored.has(`${as} ${at}`)) note({ event: 'stored', path: at, as });
      return true;
    }
    if (!SCIM.test(path)) return undefined;
    if (alone) return true;
    if (SYNCS.test(path)) return syncs && method === 'POST';
    const id = folded(decoded(MAPPINGS.exec(path)?.[1] ?? ''));
    if (id !== '') return mappings.has(id) || nobody.has(id);
    const wanted = bodyOf().scim_group_id;
    return MAPPINGS.test(path) && method === 'POST' && (same(wanted, group) || nobody.has(String(wanted)));
  };

  /** The answer to a create. */
  const given = (create: Create, number: number, status: number, answer: unknown): CreateOutcome => {
    // The service may have done a request that its gateway answered.
    if (!GATEWAY.has(status)) flying.delete(create);
    const { id, name } = isRecord(answer) ? answer : {};
    if (status >= 300 || id === undefined || id === null) return { kind: 'nothing' };
    const not = (because: Extract<CreateOutcome, { kind: 'not own' }>['because']): CreateOutcome => ({
      kind: 'not own',
      because,
      id,
      name,
      asked: create.name,
    });
    if (!isPlainId(id)) return not('no plain id');
    const before = own.get(id);
    if (before !== undefined) {
      const isRetry = create.key !== undefined && before.keys.has(create.key);
      if (!isRetry && (create.name === undefined || !before.names.has(create.name)))
        return not('made for another create');
      if (create.key !== undefined) before.keys.add(create.key);
      return { kind: 'again', id };
    }
    if (create.name === undefined || name !== create.name) return not('another name');
    const since = shown.get(folded(id));
    if (nobody.has(id) || (since !== undefined && since < (asked.get(name) ?? 0))) return not('there before');
    has(id, create.as, create);
    note({ event: 'created', id, name, as: create.as });
    count++;
    gave.set(number, id);
    return { kind: 'own', id };
  };

  /** The JSON that a path answered to anything but a create: who bears which name. */
  const shows = (path: string, answer: unknown) => {
    if (!isRecord(answer)) return;
    const mapping = MAPPINGS.exec(path);
    // Only the answer to a create has one mapping there.
    if (mapping !== null && mapping[1] === undefined && isRecord(answer.data)) {
      const { id, scim_group_id } = answer.data;
      if (typeof id === 'string' && (alone || same(scim_group_id, group)) && !mappings.has(folded(id))) {
        mappings.add(folded(id));
        note({ event: 'stored', path: `/scim/group-mappings/${encodeURIComponent(id)}`, as: 'management_key' });
      }
    }
    const place = reached(path);
    if (place === undefined) return;
    now++;
    for (const record of Array.isArray(answer.data) ? answer.data : [answer]) {
      if (!isRecord(record) || typeof record.id !== 'string') continue;
      const { id, name } = record;
      if (!shown.has(folded(id))) shown.set(folded(id), now);
      if (typeof name !== 'string') continue;
      if (!bears(id, name)) others.add(folded(id));
      const at = place !== 'all' && place.rest === '' ? place.id : undefined;
      if (id !== at) bearsNow(id, name, false);
      // The record may bear any id.
      if (at !== undefined) bearsNow(at, name, true);
    }
  };

  return {
    /** Whether a request may leave. */
    permits(leaving: Leaving): Permit {
      if (READS.has(leaving.method)) return { kind: 'free' };
      const path = normal(leaving);
      if (toThing(path, leaving) === false) return { kind: 'refused', refusal: { because: 'another thing' } };
      const place = reached(path);
      if (place === undefined) return { kind: 'free' };
      if (place !== 'all') return toOne(place.id, place.rest);
      if (leaving.method !== 'POST')
        return alone ? { kind: 'free' } : { kind: 'refused', refusal: { because: 'every intern' } };
      note({ event: 'creating', name: nameIn(leaving) ?? '', as: leaving.as });
      return { kind: 'free' };
    },

    /** A permitted request leaves: `key` is its idempotency key. */
    asks(number: number, leaving: Leaving, key?: string) {
      const { method, as } = leaving;
      const place = READS.has(method) ? undefined : reached(normal(leaving));
      if (place === undefined) return;
      const isCreate = place === 'all' && method === 'POST';
      const renames = place !== 'all' && method === 'PATCH' && place.rest === '';
      const name = isCreate || renames ? nameIn(leaving) : undefined;
      if (isCreate) {
        now++;
        if (name !== undefined && !asked.has(name)) asked.set(name, now);
        const create = { name, key, as };
        creates.set(number, create);
        flying.add(create);
      } else if (renames && name !== undefined) own.get(place.id)?.names.add(name);
    },

    /** A whole answer came. Gives its result for the run, if it is that of a create. */
    sees({ number, path, status, json }: Heard): CreateOutcome | undefined {
      const create = creates.get(number);
      if (create !== undefined) return given(create, number, status, json);
      if (status < 300) shows(normal({ path }), json);
      return undefined;
    },

    note,
    /** Interns that were made and are not known to be gone. */
    open: (): readonly Made[] => [...open.values()],
    /** Credentials that creates were sent with. */
    creators: (): readonly CredentialName[] => [...creators],
    /** Stored things that are not known to be removed. */
    stored: (): readonly Stored[] => [...stored.values()],
    /** Whether nothing has shown an intern of the run yet: it is read before it is taken away. */
    isUnshown(id: string): boolean {
      const one = own.get(id);
      return one !== undefined && isUnread(one);
    },
    /** Whether the run made the id up: nobody has it. */
    isMadeUp: (id: string) => nobody.has(id),
    /** Notes an id that the kit made up: writes to it reach nobody. */
    madeUp(id: string) {
      nobody.add(id);
      return id;
    },
    bears,
    /**
     * Whether it need not be read again before it is taken away: nobody else names interns there, or it was read under such a name
     * a short time ago.
     */
    lately(id: string) {
      const { at, strange } = own.get(id) ?? {};
      if (alone && own.has(id) && strange === undefined) return true;
      return at !== undefined && time !== undefined && time() - at < LATELY;
    },
    /** How many interns the run has made, by an answer or as they were found. */
    count: () => count,
    /** The intern that the answer to a create of that number gave the run. */
    madeIn: (number: number) => gave.get(number),
    /** The credential that an intern of the run was made with. */
    makerOf: (id: string) => own.get(id)?.as,

    /** Takes an intern for the run's own whose create was never answered: its name begins as only those of the run do. */
    adopts({ id, name }: { readonly id: unknown; readonly name: unknown }, as: CredentialName) {
      if (!isPlainId(id) || !prefixed(name) || others.has(folded(id))) return false;
      if (!own.has(id)) {
        has(id, as, { name });
        count++;
      }
      note({ event: 'created', id, name, as });
      for (const create of flying) if (create.name === name) flying.delete(create);
      return true;
    },

    /** Whether a create has left that nothing has answered but a gateway: what it made may show only later. */
    unanswered: () => flying.size > 0,

    /** Everything is gone, and ids may be given anew. */
    forget() {
      for (const known of [flying, mappings, own, shown, asked, others]) known.clear();
      for (const one of stored.values()) note({ event: 'removed', ...one });
      for (const id of open.keys()) note({ event: 'gone', id });
    },
  };
}
export type Ownership = ReturnType<typeof createOwnership>;
