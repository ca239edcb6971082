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
  /** The intern of an own key. */
  readonly intern?: string | undefined;
}

/** Kinds that act as a member on lifecycle, chat and invoke. */
const MEMBERS: ReadonlySet<CallerKind> = new Set(['member', 'key', 'oauth', 'interns-only']);

/** Whether a caller sees all interns of a workspace. */
export const isMember = (caller: Caller): boolean => MEMBERS.has(caller.kind);
