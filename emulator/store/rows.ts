import type { RawState } from '../contract/migrations.js';
import { words } from '../contract/problem.js';
import { isRecord } from '../contract/record.js';
import { COLLECTIONS, type CollectionName, conflictsOf, type InternRow, type State } from '../contract/state.js';
import { Damage } from './errors.js';
import type { LoggedChange } from './log.js';
import { COLLECTION_NAMES } from './snapshot.js';

/** The path of a place in JSON, as messages write it: `$.interns[3].record.name`. */
const jsonPath = (path: readonly PropertyKey[]) =>
  `$${path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')}`;

/**
 * Validates the rows of a state by their schemas, one row at a time. The schema's result is dropped at once, so that
 * validating 10,000 rows takes no more memory than reading them.
 *
 * @throws Damage naming the path of the first wrong row, and what was expected
 */
export function checkRows(file: string, state: RawState): void {
  for (const name of Object.keys(state)) {
    if (name !== 'version' && !Object.hasOwn(COLLECTIONS, name)) {
      throw new Damage(file, `$.${name}: unknown key; expected one of ${COLLECTION_NAMES.join(', ')}`);
    }
  }
  for (const name of COLLECTION_NAMES) {
    const rows = state[name];
    if (!Array.isArray(rows)) throw new Damage(file, `$.${name}: expected an array`);
    const seen = new Set<string>();
    for (const [index, row] of rows.entries()) {
      const validated = COLLECTIONS[name]().safeParse(row, { error: words });
      if (!validated.success) {
        const issue = validated.error.issues[0];
        throw new Damage(file, `${jsonPath([name, index, ...(issue?.path ?? [])])}: ${issue?.message}`);
      }
      if (seen.has(validated.data.id)) {
        throw new Damage(file, `${jsonPath([name, index, 'id'])}: ${JSON.stringify(validated.data.id)} is there twice`);
      }
      seen.add(validated.data.id);
    }
  }
  const [conflict] = conflictsOf(state.interns as InternRow[]);
  if (conflict) throw new Damage(file, `${jsonPath(['interns', ...conflict.path])}: ${conflict.message}`);
}

/** Applies changes to a state of any version, in order. Missing collections are added. */
export function applyChanges(file: string, state: RawState, changes: Iterable<LoggedChange>): RawState {
  const maps = new Map<string, Map<string, unknown>>();
  const mapOf = (name: string) => {
    let map = maps.get(name);
    if (!map) {
      const rows = state[name] ?? [];
      if (!Array.isArray(rows)) throw new Damage(file, `$.${name}: expected an array`);
      // A row without an id is reported when rows are validated. Until then its position identifies it.
      map = new Map(rows.map((row: unknown, index) => [isRecord(row) ? String(row.id) : `#${index}`, row]));
      maps.set(name, map);
    }
    return map;
  };
  for (const [kind, name, subject] of changes) {
    if (kind === 'put') mapOf(name).set(subject.id, subject);
    else mapOf(name).delete(subject);
  }
  return { ...state, ...Object.fromEntries([...maps].map(([name, map]) => [name, [...map.values()]])) };
}

/** A complete state, for one that was written by hand with only some collections. */
export const withEveryCollection = (state: RawState): RawState => ({
  ...Object.fromEntries(COLLECTION_NAMES.map((name: CollectionName) => [name, []])),
  ...state,
});

/** The rows of a state that was validated or is known to be our own. */
export const asState = (state: RawState): State => ({ format: 'intern-emulator', ...state }) as unknown as State;
