import { Bindings, matchText, piecesOf } from '../../emulator/recording/template.js';
import type { Difference } from '../model/finding.js';
import { isRecord, recordOf } from '../probe/json.js';
import { COMPARED_HEADERS, COMPARED_VALUES, isSameBoot, isSecret, MENDED_BY_TIME } from './compared.js';
import { textOf } from './events.js';

/** A difference between two answers. `byTime`: it may be gone in a later answer. */
interface Drifted extends Difference {
  readonly byTime?: boolean;
}

/** The result of a comparison: differences that count, and those worth a note. */
export interface Compared {
  readonly findings: Drifted[];
  readonly warnings: Difference[];
}

export const compared = (): Compared => ({ findings: [], warnings: [] });

/** The alias that a recorded value is, if it is one and nothing else. */
export function aliasOf(recorded: unknown): string | undefined {
  if (typeof recorded !== 'string' || !recorded.startsWith('$')) return undefined;
  const [piece, ...more] = piecesOf(recorded);
  return piece && 'alias' in piece && more.length === 0 ? piece.alias : undefined;
}

/** Whether the values of a key are compared. @param where the place of the value, which ends in its key */
const isValue = (key: string, where: string): boolean =>
  COMPARED_VALUES.has(key) || COMPARED_VALUES.has(where.split('.').slice(-2).join('.'));

const typeOf = (value: unknown) => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value);

interface Spot {
  readonly where: string;
  readonly key: string;
  /** The alias of the intern whose record this is a part of. */
  readonly intern?: string | undefined;
  /** Settings that a request of the recording wrote: `intern.1 name`. They are compared. */
  readonly written?: ReadonlySet<string>;
  /** The name that the run gave in place of a recorded one. */
  nameOf?(recorded: string): string | undefined;
}

/** Compares a recorded JSON value with a live one; aliases take the live value in their place. */
export function compareJson(into: Compared, bindings: Bindings, place: Spot, recorded: unknown, live: unknown): void {
  const { where, key } = place;
  const byTime = MENDED_BY_TIME.has(key);
  const finding = (expected: unknown, actual: unknown, what = where) =>
    into.findings.push({ what, expected, actual, byTime });
  const alias = aliasOf(recorded);
  if (recorded === null || live === null) return;
  if (alias === 'unix') {
    const isTime = /^(string|number)$/.test(typeof live) && /^\d+$/.test(String(live));
    if (!isTime) finding('a time in Unix seconds', typeOf(live));
    return;
  }
  // A recording shows a credential as text, even where the answer had a number.
  if (typeof live === 'number' && alias !== undefined && isSecret(alias)) return;
  if (typeOf(recorded) !== typeOf(live)) return void finding(typeOf(recorded), typeOf(live), `type of ${where}`);
  if (alias === 'time' || (alias !== undefined && isSecret(alias))) return;
  if (alias !== undefined) {
    // Values outside the interface's fields are not compared.
    if (!bindings.bind(alias, String(live)) && !alias.startsWith('value.'))
      finding(bindings.get(alias) ?? `nothing else's value`, live, `${where}, which stands for $${alias}`);
    return;
  }
  if (Array.isArray(recorded) && Array.isArray(live)) {
    compareLists(into, bindings, place, recorded, live);
    return;
  }
  if (isRecord(recorded) && isRecord(live)) {
    const id = aliasOf(recorded.id);
    const inner = { ...place, intern: id?.startsWith('intern.') ? id : place.intern };
    for (const [name, value] of Object.entries(recorded)) {
      // A name that no field of the interface has is not compared.
      if (aliasOf(name) !== undefined) continue;
      const missing = { what: `${where}.${name}`, expected: 'to be there', actual: 'missing' };
      if (!Object.hasOwn(live, name)) into.findings.push({ ...missing, byTime: MENDED_BY_TIME.has(name) });
      else compareJson(into, bindings, { ...inner, where: `${where}.${name}`, key: name }, value, live[name]);
    }
    for (const name of Object.keys(live)) {
      if (!Object.hasOwn(recorded, name))
        into.warnings.push({ what: `${where}.${name}`, expected: 'not there', actual: typeOf(live[name]) });
    }
    return;
  }
  const isWritten = place.written?.has(`${place.intern} ${key}`) === true;
  const isCompared = isValue(key, where) || isWritten;
  if (!isCompared || (key === 'status' && isSameBoot(recorded, live))) return;
  const given = isWritten && key === 'name' ? place.nameOf?.(String(recorded)) : undefined;
  if (given !== undefined) {
    if (given !== live) finding(given, live);
    return;
  }
  const same = typeof recorded === 'string' ? matchText(recorded, String(live), bindings) : recorded === live;
  if (!same) finding(recorded, live);
}

/** Compares lists whose values count, in any order. */
function compareValues(
  into: Compared,
  bindings: Bindings,
  where: string,
  recorded: readonly unknown[],
  live: readonly unknown[],
) {
  const rest = [...live];
  const isSame = (one: unknown, other: unknown) =>
    typeof one === 'string' && typeof other === 'string' ? matchText(one, other, bindings) : one === other;
  const hasAlias = (one: unknown) => typeof one === 'string' && one.includes('$');
  // An alias may fit the value of a literal.
  for (const one of recorded.toSorted((one, other) => Number(hasAlias(one)) - Number(hasAlias(other)))) {
    const at = rest.findIndex((other) => isSame(one, other));
    if (at < 0) return void into.findings.push({ what: where, expected: recorded, actual: live });
    rest.splice(at, 1);
  }
  if (rest.length > 0) into.findings.push({ what: where, expected: recorded, actual: live });
}

/** The alias of a recorded element's id, or else of its name, and the live one in its place. A short name has no alias. */
function keyOf(bindings: Bindings, element: unknown) {
  const { id, name } = recordOf(element);
  const by = aliasOf(id) === undefined ? 'name' : 'id';
  const alias = aliasOf(by === 'id' ? id : name);
  const isLiteral = by === 'name' && typeof name === 'string' && !name.includes('$');
  return { by, alias, value: isLiteral ? name : alias === undefined ? undefined : bindings.get(alias) } as const;
}

/**
 * Elements with a known id, or a known name as secrets have it, are compared with the one that has it, other interns with
 * none, the rest with one that is like it, or else pair by pair. The order of interns alone is stated.
 */
function compareLists(
  into: Compared,
  bindings: Bindings,
  place: Spot,
  recorded: readonly unknown[],
  live: readonly unknown[],
) {
  const { where, key } = place;
  if (isValue(key, where) && recorded.every((one) => !isRecord(one))) {
    compareValues(into, bindings, where, recorded, live);
    return;
  }
  const known: string[] = [];
  const others: number[] = [];
  const rest = [...live];
  for (const [index, element] of recorded.entries()) {
    const { by, alias, value } = keyOf(bindings, element);
    const mine = value === undefined ? undefined : rest.find((one) => recordOf(one)[by] === value);
    if (value === undefined || (mine === undefined && alias === undefined)) {
      if (!alias?.startsWith('intern.')) others.push(index);
      continue;
    }
    if (alias?.startsWith('intern.')) known.push(value);
    const inner = { ...place, where: `${where}[${index}]` };
    const missing = { what: inner.where, expected: `the one with id $${alias}`, actual: 'missing' };
    // A run gives secrets names of its own; a deployment may not be given one.
    if (mine === undefined && by === 'id') into.findings.push({ ...missing, byTime: true });
    if (mine !== undefined) {
      rest.splice(rest.indexOf(mine), 1);
      compareJson(into, bindings, inner, element, mine);
    }
  }
  const pair = (index: number, other: unknown) =>
    compareJson(into, bindings, { ...place, where: `${where}[${index}]` }, recorded[index], other);
  const isSame = (index: number) => (other: unknown) => {
    const tried = compared();
    compareJson(tried, new Bindings(bindings), place, recorded[index], other);
    return tried.findings.length === 0;
  };
  const unlike = others.filter((index) => {
    const at = rest.findIndex(isSame(index));
    for (const other of at < 0 ? [] : rest.splice(at, 1)) pair(index, other);
    return at < 0;
  });
  for (const [at, index] of unlike.entries()) if (at < rest.length) pair(index, rest[at]);
  const order = live.map((one) => textOf(recordOf(one).id)).filter((id) => known.includes(id));
  const wanted = known.filter((id) => order.includes(id));
  if (order.join() !== wanted.join())
    into.findings.push({ what: `order of ${where}`, expected: wanted, actual: order });
}

/** A header without its parameters. */
const bare = (value: string | undefined) => value?.split(';')[0]?.trim().toLowerCase();

/** When two values of a header count as the same. */
const SAME_HEADER = {
  value: (before, now) => before === now,
  'media-type': (before, now) => bare(before) === bare(now),
  present: (before, now) => (before === undefined) === (now === undefined),
} satisfies Record<string, (before: string | undefined, now: string | undefined) => boolean>;

/** Compares the headers of the contract. @param isSuccess the interface says less about the headers of refusals */
export function compareHeaders(
  into: Compared,
  recorded: Readonly<Record<string, string>>,
  live: Headers,
  isSuccess: boolean,
): void {
  for (const [name, { how, of }] of Object.entries(COMPARED_HEADERS)) {
    if (of === 'successes' && !isSuccess) continue;
    const [before, now] = [recorded[name], live.get(name) ?? undefined];
    if (SAME_HEADER[how](before, now)) continue;
    into.findings.push({ what: `header ${name}`, expected: before ?? 'none', actual: now ?? 'none' });
  }
}
