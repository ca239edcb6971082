import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unitsOf } from '../conformance/clients/run-client.js';
import { cases } from '../emulator/lab/cases.js';

/** The result of one version of a client in the lab. Cases that are in none of the lists passed, where they were asked. */
export interface VersionResult {
  readonly date: string;
  /** The Node that ran it, or the lab where the client is in another language. */
  readonly node: string;
  /** Packages beside its own, by the versions that were installed. */
  readonly with?: Readonly<Record<string, string>>;
  /** How many of the lists of `history/cases.json` it has been asked. */
  readonly catalogue: number;
  /** The layers and abilities that cases may need of it. */
  readonly offers: readonly string[];
  readonly alternative: readonly string[];
  readonly fail: readonly string[];
  /** No answer in time; these stand in `fail`, too. */
  readonly hung?: readonly string[];
  /** The adapter broke off. */
  readonly error?: readonly string[];
}

/** The history of one client by version, the oldest first. */
export interface History {
  readonly client: string;
  readonly versions: Readonly<Record<string, VersionResult>>;
}

const FOLDER = join(import.meta.dirname, 'history');
const CASES = join(FOLDER, 'cases.json');
const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
/** A list a line. */
const write = (file: string, value: unknown) => {
  const text = JSON.stringify(value, null, 2).replaceAll(/\[[^[\]]*\]/g, (list) => list.replaceAll(/\s*\n\s*/g, ' '));
  writeFileSync(file, `${text}\n`);
};

/** Ids of cases, in a list for each time that there were new ones. */
export const catalogues = (): readonly (readonly string[])[] =>
  existsSync(CASES) ? (read(CASES) as readonly (readonly string[])[]) : [];

/** Takes cases that no list holds yet into a new one, and returns how many lists there are. */
export function currentCatalogue(): number {
  const lists = catalogues();
  const known = new Set(lists.flat());
  const unknown = cases.map(({ id }) => id).filter((id) => !known.has(id));
  if (unknown.length === 0) return lists.length;
  write(CASES, [...lists, unknown]);
  return lists.length + 1;
}

/** The history of a client; an empty one if it was never run. */
export const historyOf = (name: string): History => {
  const file = join(FOLDER, `${name}.json`);
  return existsSync(file) ? (read(file) as History) : { client: name, versions: {} };
};

/** Every history that there is, by the client's name. */
export const histories = (): readonly History[] =>
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json') && file !== 'cases.json')
    .sort()
    .map((file) => read(join(FOLDER, file)) as History);

/** Versions in order; a name that is no version stays where it was. */
const byVersion = new Intl.Collator('en', { numeric: true });

/** Writes what a version made of the lab into its client's history. */
export function remember(name: string, version: string, result: VersionResult): void {
  const versions = Object.entries({ ...historyOf(name).versions, [version]: result });
  versions.sort(([one], [other]) => byVersion.compare(one, other));
  write(join(FOLDER, `${name}.json`), { client: name, versions: Object.fromEntries(versions) });
}

const UNITS = unitsOf(cases);

/** The cases that a version was asked: those of its catalogues whose needs it offers. */
export function askedOf({ catalogue, offers }: VersionResult): readonly string[] {
  const known = new Set(catalogues().slice(0, catalogue).flat());
  return UNITS.filter(({ id, needs }) => known.has(id) && needs.every((need) => offers.includes(need))).map(
    ({ id }) => id,
  );
}

/** The needs of the cases that were not skipped. */
export const offersOf = (skipped: ReadonlySet<string>): readonly string[] =>
  [...new Set(UNITS.filter(({ id }) => !skipped.has(id)).flatMap(({ needs }) => needs))].sort();
