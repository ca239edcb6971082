import { type Asked, bodyOf } from './exchange.js';
import type { InternFacts } from './intern.js';
import type { OperationName } from './operations.js';
import { MOST } from './options.js';
import { Recent } from './recent.js';

/** The name that a create or an update asks for. */
function nameIn(asked: Asked, operation: OperationName): string | undefined {
  const name = operation === 'create' || operation === 'update' ? bodyOf(asked)?.name : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** Names of interns. */
export function createNames() {
  /** Interns by names that they may have. */
  const called = new Recent<string, Set<InternFacts>>(MOST);
  /** Names that were asked for: requests under way, the first create that was refused it, and whether any may have got it. */
  const wanted = new Recent<string, { asking: number; refused: number | undefined; given: boolean }>(MOST);
  return {
    /** Interns of this traffic that may have a name, or had it. */
    called: (name: string): ReadonlySet<InternFacts> => called.get(name) ?? new Set(),
    /** An intern may have a name from now on. */
    calls(facts: InternFacts, name: unknown) {
      if (typeof name === 'string') called.set(name, (called.get(name) ?? new Set()).add(facts));
    },
    /** An intern is forgotten: its name would keep it else. */
    forgets(facts: InternFacts) {
      const name = facts.made?.body.name;
      if (typeof name === 'string') called.get(name)?.delete(facts);
    },
    /** A request leaves that asks for a name. */
    asks(asked: Asked, operation: OperationName) {
      const name = nameIn(asked, operation);
      if (name === undefined) return;
      const { asking = 0, refused, given = false } = wanted.get(name) ?? {};
      wanted.set(name, { asking: asking + 1, refused, given });
    },
    /** It was answered. A name that is taken is that of another intern. */
    sees(asked: Asked, operation: OperationName, took: boolean | undefined, status: number | undefined) {
      const of = wanted.get(nameIn(asked, operation) ?? '');
      if (of === undefined) return;
      of.asking -= 1;
      if (took !== false || status === 409) of.given = true;
      else if (operation === 'create') of.refused ??= asked.number;
    },
    /** The create that was refused a name which nothing else has asked for. */
    refused(name: unknown): number | undefined {
      const { asking = 1, given = true, refused } = wanted.get(String(name)) ?? {};
      return asking > 0 || given ? undefined : refused;
    },
    restart() {
      called.clear();
      wanted.clear();
    },
  };
}
