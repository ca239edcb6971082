import type { Asked } from './exchange.js';
import { type InternFacts, isVisibleTo } from './intern.js';
import { type Caller, joined, MOST, type ModelOptions, Recent } from './options.js';

/** Who asks, and what they see. */
export function createWho({ caller: known, ours }: Pick<ModelOptions, 'caller' | 'ours'>) {
  /** Whether a credential shows what another person made in the same workspace, where that was seen. */
  const shared = new Recent<string, boolean>(MOST);
  /** Callers who have created interns. */
  const creators = new Set<string>();

  const callerOf = ({ caller }: Asked): Caller | null | undefined =>
    caller === null ? null : caller === undefined ? undefined : known(caller);
  const personOf = (asked: Asked): string | undefined => callerOf(asked)?.person ?? asked.caller ?? undefined;
  return {
    callerOf,
    personOf,
    /** Whether a person is the one who asks; undefined where one of them may go by another name. */
    isBy(asked: Asked, person: string | undefined): boolean | undefined {
      const own = personOf(asked);
      if (own === undefined || person === undefined) return undefined;
      return own === person || ([undefined, 'member'].includes(callerOf(asked)?.kind) ? undefined : false);
    },
    /**
     * Whether a caller sees an intern. Whether one member of a workspace sees the interns of another is not stated: it shows.
     */
    isVisible(asked: Asked, intern: InternFacts): boolean | undefined {
      const caller = callerOf(asked);
      const visible = isVisibleTo(caller, intern);
      const person = personOf(asked);
      if (visible !== true || caller?.kind === 'own' || intern.made === undefined) return visible;
      if (ours === true || (person !== undefined && person === intern.made.person)) return true;
      return shared.get(joined(String(asked.caller), intern.made.person));
    },
    /** A caller was shown an intern. */
    sees(asked: Asked, { made }: InternFacts) {
      if (made?.person !== undefined && personOf(asked) !== undefined)
        shared.set(joined(String(asked.caller), made.person), true);
    },
    creates: ({ caller }: Asked) => void creators.add(caller ?? ''),
    /** Whether a caller was seen to create interns. */
    hasCreated: ({ caller }: Asked): boolean => creators.has(caller ?? ''),
    restart() {
      shared.clear();
      creators.clear();
    },
  };
}
export type Who = ReturnType<typeof createWho>;
