import { isRecord } from '../probe/json.js';
import type { CredentialName } from '../probe/request.js';
import type { Ledger } from './ledger.js';

const SECRETS = /\/vault\/+secrets(?:\/+(.*))?$/i;
const COPY = /\/vault\/+interns\/+[^/]+\/+secrets\/+copy\/*$/i;
const MAPPINGS = /\/scim\/+group-mappings(?:\/+([^/]*))?\/*$/i;
const SYNCS = /\/scim\/+sync-jobs\/*$/i;
const SCIM = /\/scim(?:\/|$)/i;

/** How the names of secrets begin that a run gives, by how its interns are named: they have no hyphens. */
export const secretPrefixOf = (prefix: string): string => prefix.replaceAll('-', '_');

/** The path of a mapping as the ledger and the clean-up have it. */
export const mappingPath = (id: string): string => `/scim/group-mappings/${encodeURIComponent(id)}`;

/** Whether a path of a ledger is that of a mapping. */
export const isMappingPath = (path: string): boolean => MAPPINGS.test(path);

/** A segment of a path as it was meant; one that is wrongly encoded as it is. */
export const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

/** A request to a vault or the directory, as the rule looks at it. */
export interface LeavingThing {
  readonly method: string;
  readonly url: string;
  readonly body?: unknown;
  readonly as: CredentialName;
}

export interface OwnThingsOptions {
  readonly ledger: Ledger;
  /** How all names of secrets begin that the run gives by itself. */
  readonly prefix: string | undefined;
  /** The group that was named to the run, for mappings that it makes and deletes. */
  readonly group: string | undefined;
  /** Whether the run may start a sync of the directory. */
  readonly syncs: boolean;
  /** Whether the target is there for the run alone. */
  readonly alone: boolean;
  /** Whether the kit made an id up: nobody has it. */
  readonly madeUp: (id: string) => boolean;
}

/**
 * Things outside of interns that a run may write: secrets of the workspace whose names bear its prefix, and mappings of the one
 * group that was named to it. A sync of the directory cannot be taken back: it is started only where nobody else is, and by leave.
 */
export function createOwnThings({ ledger, prefix, group, syncs, alone, madeUp }: OwnThingsOptions) {
  const mappings = new Set<string>();
  const bears = (name: unknown) =>
    prefix !== undefined && typeof name === 'string' && name.toLowerCase().includes(prefix);
  const same = (one: unknown, other: string | undefined) =>
    typeof one === 'string' && other !== undefined && one.toLowerCase() === other.toLowerCase();
  for (const { path } of ledger.stored()) {
    const id = MAPPINGS.exec(path)?.[1];
    if (id !== undefined) mappings.add(decoded(id).toLowerCase());
  }
  return {
    /**
     * Whether a write may leave. Undefined where it is about neither the vault of a workspace nor the directory. `false`: it
     * would change, copy or name what the run did not make.
     */
    leaves({ method, url, body, as }: LeavingThing): boolean | undefined {
      const { pathname } = new URL(url);
      if (COPY.test(pathname)) {
        if (alone) return undefined;
        // Names that the run did not give are others' secrets.
        const names = isRecord(body) && Array.isArray(body.names) ? body.names : [];
        return names.every((name) => typeof name !== 'string' || bears(name)) ? undefined : false;
      }
      const secret = SECRETS.exec(pathname);
      if (secret !== null) {
        const segment = secret[1] ?? '';
        if (!bears(decoded(segment))) return alone;
        const path = `/vault/secrets/${encodeURIComponent(decoded(segment))}`;
        if (method === 'PUT' && !ledger.stored().some((one) => one.path === path && one.as === as))
          ledger.write({ event: 'stored', path, as });
        return true;
      }
      if (!SCIM.test(pathname)) return undefined;
      if (alone) return true;
      if (SYNCS.test(pathname)) return syncs && method === 'POST';
      const id = decoded(MAPPINGS.exec(pathname)?.[1] ?? '').toLowerCase();
      if (id !== '') return mappings.has(id) || madeUp(id);
      const wanted = isRecord(body) ? body.scim_group_id : undefined;
      return MAPPINGS.test(pathname) && method === 'POST' && (same(wanted, group) || madeUp(String(wanted)));
    },
    /** The JSON that an address answered with success. */
    shows(url: string, answer: unknown) {
      const found = MAPPINGS.exec(new URL(url).pathname);
      if (found === null || found[1] !== undefined || !isRecord(answer) || !isRecord(answer.data)) return;
      // Only the answer to a create has one mapping there.
      const { id, scim_group_id } = answer.data;
      if (typeof id !== 'string' || !(alone || same(scim_group_id, group)) || mappings.has(id.toLowerCase())) return;
      mappings.add(id.toLowerCase());
      ledger.write({ event: 'stored', path: mappingPath(id), as: 'management_key' });
    },
    forget() {
      mappings.clear();
      for (const one of ledger.stored()) ledger.write({ event: 'removed', ...one });
    },
  };
}
