import { type Made, READS } from '../habits/dealings.js';
import { GATEWAY } from '../probe/gateway.js';
import { isRecord } from '../probe/json.js';
import type { CredentialName } from '../probe/request.js';
import { type Answered, type Asked, jsonOf } from './exchange.js';
import { decoded } from './operations.js';

/** Ids that need no encoding in a path and, unlike `..`, lead nowhere else. */
export const PLAIN = /^[A-Za-z0-9_~:@=+-][A-Za-z0-9._~:@=+-]{0,254}$/;

export const isPlainId = (id: unknown): id is string => typeof id === 'string' && PLAIN.test(id);

/** Servers may ignore the case of paths, and read two slashes as one. */
const INTERNS = /\/interns(?:\/+([^/]*)(.*))?$/i;
const SECRETS = /\/vault\/+secrets(?:\/+(.*))?$/i;
const COPY = /\/vault\/+interns\/+[^/]+\/+secrets\/+copy\/*$/i;
const MAPPINGS = /\/scim\/+group-mappings(?:\/+([^/]*))?\/*$/i;
const SYNCS = /\/scim\/+sync-jobs\/*$/i;
const SCIM = /\/scim(?:\/|$)/i;
/** A request for a proof does not change the intern. */
const SIGNS = /\/sign\/?$/i;

/** The prefix of a run's secret names, made from that of its interns. Secret names have no hyphens. */
export const secretPrefixOf = (prefix: string): string => prefix.replaceAll('-', '_');

/** Whether a path in a ledger is that of a SCIM mapping. */
export const isMappingPath = (path: string): boolean => MAPPINGS.test(path);

/** A path that is sent as it is. */
const SENT_SO = /^\/[\w/-]*$/;
/** The normalized path, as it is sent. */
const normal = ({ path }: Pick<Asked, 'path'>): string =>
  SENT_SO.test(path) ? path : new URL(`http://any${path}`).pathname;

/** Ids are compared without case, because a service may ignore it. */
const folded = (id: string) => id.toLowerCase();
export const same = (one: unknown, other: string | undefined) =>
  typeof one === 'string' && other !== undefined && folded(one) === folded(other);

/** The interns that a path leads to: all, one of them, or none. */
const reached = (path: string): { readonly id: string; readonly rest: string } | 'all' | undefined => {
  const [found, segment = '', rest = ''] = INTERNS.exec(path) ?? [];
  if (found === undefined) return undefined;
  return segment === '' ? 'all' : { id: decoded(segment), rest };
};

/** The name in a body. A service may accept even a body that is not JSON. */
function nameIn(asked: Pick<Asked, 'body'>): string | undefined {
  const json = jsonOf(asked);
  if (json !== undefined) return isRecord(json) && typeof json.name === 'string' ? json.name : undefined;
  return asked.body.kind === 'some' ? /"name"\s*:\s*"([^"\\]*)"/.exec(asked.body.text)?.[1] : undefined;
}

/** An entry of the ledger: what a run made and removed. `creating` is written before the create is sent, `deleting` once the delete is accepted. */
export type LedgerEntry =
  | { readonly event: 'run'; readonly run: string; readonly url: string; readonly prefix: string; readonly at: string }
  | { readonly event: 'creating'; readonly name: string; readonly as: CredentialName }
  | { readonly event: 'created'; readonly id: string; readonly name: string; readonly as: CredentialName }
  | { readonly event: 'deleting'; readonly id: string }
  | { readonly event: 'gone'; readonly id: string }
  /** A DELETE of its path removes it. A secret of the workspace is noted before it is stored, a mapping after. */
  | { readonly event: 'stored'; readonly path: string; readonly as: CredentialName }
  | { readonly event: 'removed'; readonly path: string; readonly as: CredentialName };

/** A secret or mapping that a run stored outside its interns. */
export interface Stored {
  /** Below the base URL. */
  readonly path: string;
  readonly as: CredentialName;
}

/** A request that is about to be sent. */
export type Leaving = Pick<Asked, 'method' | 'path' | 'body'> & { readonly as: CredentialName };

/** The parts of a request and its answer that show who made a thing. */
export type Heard = Pick<Asked, 'number' | 'path'> & Pick<Answered, 'status' | 'json'>;

/** Why a request must not be sent. */
export interface NotAllowed {
  readonly because: 'every intern' | 'not made' | 'reads as another' | 'renamed' | 'another thing';
  readonly id?: string;
  /** The name that the intern bears, and the one that the run gave it. */
  readonly name?: string | undefined;
  readonly asked?: string | undefined;
}

/** Whether a request may be sent. */
type Permit =
  | { readonly kind: 'free' }
  /** It writes to an intern of the run. `unread`: no answer has shown the intern under its name yet. */
  | { readonly kind: 'own'; readonly id: string; readonly as: CredentialName; readonly unread: boolean }
  | { readonly kind: 'refused'; readonly refusal: NotAllowed };

/** The result of a create: an intern of the run, one that it already had, nothing, or one that is not its own. */
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

/** A create that was sent. */
interface Create {
  readonly name: string | undefined;
  readonly key: string | undefined;
  readonly as: CredentialName;
}

/** An intern of the run. */
interface Own {
  readonly as: CredentialName;
  /** Names that the run gave it. The first is that of its create. */
  readonly names: Set<string>;
  readonly keys: Set<string>;
  /** The first name that an answer showed and the run did not give. */
  strange?: string;
  /** Whether its own path has shown it under a name of the run. A write to that path reaches it, too. */
  known: boolean;
  /** Whether a list has shown it under such a name. */
  listed: boolean;
  /** When an answer last showed it under such a name. */
  at?: number;
}

/** ms for which an intern may be deleted without another read. */
const FRESH = 5_000;

interface OwnershipOptions {
  /** The record that outlives the run. `entries` are those of an earlier run. */
  readonly ledger: { write(entry: LedgerEntry): void; readonly entries: readonly LedgerEntry[] };
  /** The prefix of the names that the run makes up. */
  readonly prefix?: string;
  /** An intern that the caller named. The run may ask for its proofs, but writes nothing to it. */
  readonly lent?: string | undefined;
  /** The SCIM group that the caller named, for mappings that the run makes and deletes. */
  readonly group?: string | undefined;
  /** Whether the run may start a sync of the directory. */
  readonly syncs?: boolean;
  /** Whether nobody else uses the target. A request to all interns then reaches only those of the run. */
  readonly alone?: boolean;
  /** ms, on the clock of the exchanges. */
  now?(): number;
}

/**
 * Knows what a run made, and permits writes to nothing else. It is asked before every request, and sees every answer. A create
 * makes an intern the run's own if it answers with a plain id and the requested name, and nothing showed the intern before the run
 * first used that name. Outside interns, the run writes secrets of the workspace whose names contain its prefix, and mappings of
 * the group that the caller named. A sync of the directory cannot be undone: it needs `syncs`, or a target that nobody else uses.
 */
export function createOwnership(options: OwnershipOptions) {
  const { ledger, prefix, lent, group, syncs = false, alone = false, now: time } = options;
  const own = new Map<string, Own>();
  const nobody = new Set<string>();
  /** Ids that an answer showed under a name that is not the run's. */
  const others = new Set<string>();
  /** When an answer first showed an id, other than the answer to a create. */
  const shown = new Map<string, number>();
  /** When a create first asked for a name. */
  const asked = new Map<string, number>();
  /** Creates by their numbers. */
  const creates = new Map<number, Create>();
  /** Creates without an answer, or with that of a gateway only. */
  const unanswered = new Set<Create>();
  /** The intern that each create gave the run. */
  const gave = new Map<number, string>();
  const mappings = new Set<string>();
  const open = new Map<string, Made>();
  const creators = new Set<CredentialName>();
  const stored = new Map<string, Stored>();
  let now = 0;
  let count = 0;
  /** Whether the paths of the run's interns lead to them, as far as was seen. If not, a list does not show where a write goes. */
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
  /** Notes what was made, or removed. */
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
  // Others may have written the ledger: its names alone prove nothing.
  for (const { id, as } of open.values()) if (isPlainId(id)) has(id, as);
  for (const { path } of stored.values()) {
    const id = MAPPINGS.exec(path)?.[1];
    if (id !== undefined) mappings.add(folded(decoded(id)));
  }

  /** Whether the run gave this intern the name, or the name has the run's prefix. */
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
   * Whether a write to the vault of a workspace or to the directory may be sent. `false`: it would change, copy or name what the
   * run did not make. Undefined: the intern in the path decides.
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
    if (!GATEWAY.has(status)) unanswered.delete(create);
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

  /** Learns the names of interns from the answer to any request but a create. */
  const shows = (path: string, answer: unknown) => {
    if (!isRecord(answer)) return;
    const mapping = MAPPINGS.exec(path);
    // At this path, only the answer to a create holds a single mapping.
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
      // The path says which intern it is, whatever id the record bears.
      if (at !== undefined) bearsNow(at, name, true);
    }
  };

  return {
    /** Decides whether a request may be sent. */
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

    /** Notes that a permitted request is sent. `key` is its idempotency key. */
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
        unanswered.add(create);
      } else if (renames && name !== undefined) own.get(place.id)?.names.add(name);
    },

    /** Notes a complete answer. Returns the outcome of a create. */
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
    /** Secrets and mappings that are not known to be removed. */
    stored: (): readonly Stored[] => [...stored.values()],
    /** Whether no answer has shown an intern of the run yet: it must be read before it is deleted. */
    isUnshown(id: string): boolean {
      const one = own.get(id);
      return one !== undefined && isUnread(one);
    },
    /** Whether the run made up the id, so that no intern has it. */
    isMadeUp: (id: string) => nobody.has(id),
    /** Notes an id that the run made up. Writes to it reach nobody. */
    madeUp(id: string) {
      nobody.add(id);
      return id;
    },
    bears,
    /**
     * Whether an intern may be deleted without another read: nobody else uses the target, or an answer has just shown it under a
     * name of the run.
     */
    isSafeToDelete(id: string) {
      const { at, strange } = own.get(id) ?? {};
      if (alone && own.has(id) && strange === undefined) return true;
      return at !== undefined && time !== undefined && time() - at < FRESH;
    },
    /** The number of interns that the run made, whether a create answered with them or a list showed them. */
    count: () => count,
    /** The intern that the create of this number gave the run. */
    madeIn: (number: number) => gave.get(number),
    /** The credential that made an intern of the run. */
    makerOf: (id: string) => own.get(id)?.as,

    /** Takes an intern with the run's prefix as its own: its create was never answered. */
    adopts({ id, name }: { readonly id: unknown; readonly name: unknown }, as: CredentialName) {
      if (!isPlainId(id) || !prefixed(name) || others.has(folded(id))) return false;
      if (!own.has(id)) {
        has(id, as, { name });
        count++;
      }
      note({ event: 'created', id, name, as });
      for (const create of unanswered) if (create.name === name) unanswered.delete(create);
      return true;
    },

    /** Whether a create has no answer, or only that of a gateway. Its intern may be listed later. */
    hasUnanswered: () => unanswered.size > 0,

    /** Forgets all: the target was reset, and may reuse ids. */
    forget() {
      for (const known of [unanswered, mappings, own, shown, asked, others]) known.clear();
      for (const one of stored.values()) note({ event: 'removed', ...one });
      for (const id of open.keys()) note({ event: 'gone', id });
    },
  };
}
export type Ownership = ReturnType<typeof createOwnership>;
