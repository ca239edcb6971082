import { createHash } from 'node:crypto';
import type { Profile } from '../../emulator/contract/profile.js';
import type { PublicKey } from '../framework/target.js';

/**
 * The kind of a credential. `member`: a key or token of a member, which of these is not known. `outsider`: a caller who is no member of
 * the interns programme.
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
  /** Whether nobody ever had an intern of that id: the run made it up. */
  madeUp?(id: string): boolean;
  /** Words for statuses that the target was seen to have of its own. */
  ownStatuses?(): readonly string[];
  /** The keys that verify proofs. */
  readonly publicKeys: readonly PublicKey[];
  /** The kind of secret that stands in a text: a credential that was given, or a value that was stored in a vault. */
  secretIn?(text: string): 'credential' | 'value' | undefined;
  /** A SCIM mapping that is there to stay. */
  readonly mapping?: string | undefined;
  /** ms by which the run has moved the clock of the target: they pass between two exchanges. */
  moved?(): number;
  /** The target is an emulator of ours, and nobody else uses it. */
  readonly ours?: boolean;
  /** Some requests pass it unseen: a value that may change says nothing of the next one. */
  readonly partial?: boolean;
  /** The target was used before the first exchange: a create may repeat one of then. */
  readonly inUse?: boolean;
}

/** A value, and the exchange that showed it. */
export interface ShownValue<T = unknown> {
  readonly value: T;
  readonly number: number;
}

/** ms after which nothing that was made may be missing. */
export const LATE = 15_000;

/** ms by which the clock of a gateway, whose Date an answer carries, may differ from that of the service. */
export const SKEW = 15_000;

/** Things of any kind that are remembered: traffic may go on for days. */
export const MOST = 20_000;

/** A long text as a short key. */
export const hashed = (text: string): string => createHash('sha256').update(text).digest('base64');
/** A key made of parts. */
export const joined = (...parts: readonly (string | undefined)[]): string => JSON.stringify(parts);

/** A map that forgets what was set first, where it holds too much: traffic may go on for days. */
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
