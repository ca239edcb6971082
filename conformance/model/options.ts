import { createHash } from 'node:crypto';
import type { Profile } from '../../emulator/contract/profile.js';
import type { PublicKey } from './target.js';

/**
 * The kind of a credential. A `member` has a key or a token, but it is unknown which. An `outsider` is not in the interns
 * programme.
 */
export type CallerKind = 'member' | 'key' | 'own' | 'oauth' | 'interns-only' | 'management' | 'outsider' | 'invalid';

/** The knowledge about a credential. */
export interface Caller {
  readonly kind: CallerKind;
  readonly workspace?: string | undefined;
  /** API key and tokens of one person are one caller. */
  readonly person?: string | undefined;
  /** The verified subject of an OAuth token. */
  readonly subject?: string | undefined;
  /** The intern of an own key. */
  readonly intern?: string | undefined;
}

/** Kinds that act as a member on lifecycle, chat and invoke. */
const MEMBERS: ReadonlySet<CallerKind> = new Set(['member', 'key', 'oauth', 'interns-only']);

/** Whether a caller sees all interns of a workspace. */
export const isMember = (caller: Caller): boolean => MEMBERS.has(caller.kind);

/** The knowledge about a target before anything is sent. */
export interface ModelOptions {
  readonly profile: Profile;
  /** The knowledge about a credential, by its name. */
  caller(name: string): Caller | undefined;
  /** Whether the run made up an id: no intern ever had it. */
  madeUp?(id: string): boolean;
  /** The target's own words for statuses, as far as they were seen. */
  ownStatuses?(): readonly string[];
  /** The keys that verify proofs. */
  readonly publicKeys: readonly PublicKey[];
  /** The kind of secret in a text: a credential of the run, or a value stored in a vault. */
  secretIn?(text: string): 'credential' | 'value' | undefined;
  /** The id of a SCIM mapping that nobody deletes. */
  readonly mapping?: string | undefined;
  /** ms by which the run has moved the clock of the target. */
  moved?(): number;
  /** The target is an emulator of ours, and nobody else uses it. */
  readonly ours?: boolean;
  /** Whether the model misses some requests: a value that can change may have changed unseen. */
  readonly partial?: boolean;
  /** Whether the target was used before the first exchange: a create may be a retry of an unseen one. */
  readonly inUse?: boolean;
}

/** A value, and the exchange that showed it. */
export interface ShownValue<T = unknown> {
  readonly value: T;
  readonly number: number;
}

/** ms after which every read must show a new intern. */
export const LATE = 15_000;

/** ms by which `Date`, the clock of a gateway, may differ from the clock of the service. */
export const SKEW = 15_000;

/** Most entries that a map of the model remembers: traffic may go on for days. */
export const MOST = 20_000;

/** Computes a value of a thing once, as many callers ask for it in a row. */
export function onceInARow<Of, Value>(find: (of: Of) => Value): (of: Of) => Value {
  let last: { readonly of: Of; readonly found: Value } | undefined;
  return (of) => {
    if (last?.of !== of) last = { of, found: find(of) };
    return last.found;
  };
}

/** A long text as a short key. */
export const hashed = (text: string): string => createHash('sha256').update(text).digest('base64');
/** A key made of parts. */
export const joined = (...parts: readonly (string | undefined)[]): string => JSON.stringify(parts);

/** A map that forgets its oldest entry when it is full. */
export class Recent<Key, Value> extends Map<Key, Value> {
  constructor(
    private readonly most: number,
    private readonly forgets: (value: Value, key: Key) => void = () => {},
  ) {
    super();
  }

  override set(key: Key, value: Value): this {
    super.set(key, value);
    for (const [oldest, held] of this) {
      if (this.size <= this.most) break;
      this.delete(oldest);
      this.forgets(held, oldest);
    }
    return this;
  }
}
