import { byKey } from '../../emulator/contract/by-key.js';
import { counted } from '../../emulator/contract/counted.js';
import type { CheckResult, RequirementResult, Results } from '../run/results.js';
import { clauseOf } from './clause.js';
import { skips } from './groups.js';
import type { ResultLine } from './result-line.js';
import type { Line, Section, Table, TableRow } from './sheet/sheet.js';
import { neverCameUp, shownOf } from './words/coverage.js';
import { LEVELS, nounOf } from './words/legend.js';
import { keptBy } from './words/skip.js';

/** The area of a requirement: `CHAT` of `CHAT-4`. */
const areaOf = (id: string): string => id.replace(/-\d+$/, '');

/** Whether a requirement came up: a check or a rule of it came to a verdict. */
const cameUp = ({ verdict }: RequirementResult): boolean => !['none', 'excluded', 'skip'].includes(verdict);
const some = (many = 0): string => (many === 0 ? '' : String(many));
const isHeld = ({ verdict }: Pick<CheckResult | RequirementResult, 'verdict'>): boolean =>
  verdict === 'pass' || verdict === 'pass-alternative';

/** `2,140 exchanges`. */
const exchangesText = (many: number): string => counted(many, 'exchange').replace(/\B(?=(\d{3})+ )/g, ',');

/** Requirements that one line names. */
const NAMED = 6;

/** `98 requirements held in 2,140 exchanges; 6 never came up: AUTH-9, …`. Undefined for reports without requirements. */
export function heldText(results: Results): string | undefined {
  const came = results.requirements.filter(cameUp);
  if (came.length === 0) return undefined;
  const held = came.filter(isHeld).length;
  const { exchanges = 0 } = results;
  const never = neverCameUp(results);
  const more = never.length - NAMED;
  return [
    held === came.length ? '' : `${held} of `,
    `${counted(came.length, 'requirement')} held`,
    exchanges === 0 ? '' : ` in ${exchangesText(exchanges)}`,
    never.length === 0 ? '' : `; ${never.length} never came up: ${never.slice(0, NAMED).join(', ')}`,
    more > 0 ? ` and ${more} more` : '',
  ].join('');
}

/** The beginning of a sentence, as far as it stands by itself. */
const shortly = (sentence: string): string => {
  const [first = sentence] = sentence.split(/(?<=.{30})[;.] /, 1);
  return first === sentence ? sentence : `${first} …`;
};

/** `12 rules, 3 checks`. */
const heldBy = (checks: readonly CheckResult[]): string => {
  const rules = checks.filter(({ judged }) => judged !== undefined).length;
  return [
    ...(rules > 0 ? [counted(rules, 'rule')] : []),
    ...(checks.length > rules ? [counted(checks.length - rules, 'check')] : []),
  ].join(', ');
};

const HEAD = ['requirement', 'level', 'sentence', 'held by', 'exchanges', 'situations'];

/** The requirements that came up, by area, with what held them. On a page each opens to its passed checks. */
export function requirementsSection(
  { checks, requirements }: Results,
  whole: ResultLine,
  shown: Table['shown'],
): Section[] {
  const passed = new Map(checks.filter(isHeld).map((check) => [check.id, check]));
  const rowOf = (cells: readonly string[], mine: readonly CheckResult[]): TableRow =>
    mine.length === 0 ? { cells } : { cells, members: mine.map(whole) };
  const row = (one: RequirementResult): TableRow => {
    const mine = one.checks.flatMap((id) => passed.get(id) ?? []);
    const counts = [some(one.exchanges), some(one.situations?.length)];
    const id = isHeld(one) ? one.id : `${one.id} ${one.verdict}`;
    return rowOf([id, LEVELS[one.level], shortly(one.excluded ?? one.sentence), heldBy(mine), ...counts], mine);
  };
  const areas = byKey(requirements, ({ id }) => areaOf(id));
  const groups = [...areas].flatMap(([area, all]) => {
    const came = all.filter(cameUp);
    const title = `${area}: ${came.filter(isHeld).length} of ${came.length} held`;
    const rows = all.filter((one) => cameUp(one) || one.verdict === 'excluded').map(row);
    return came.length === 0 ? [] : [{ title, rows }];
  });
  const section = { title: 'Requirements', lines: [] };
  if (groups.length > 0) return [{ ...section, table: { head: HEAD, groups, shown } }];
  // Reports of clients and recordings have no requirements of the interface.
  const rows = [...byKey(passed.values(), (check) => clauseOf(check).id)].map(([id, mine]) =>
    rowOf([id, LEVELS[mine[0].level], clauseOf(mine[0]).sentence, counted(mine.length, nounOf(mine[0]))], mine),
  );
  return rows.length === 0 ? [] : [{ ...section, table: { head: HEAD, groups: [{ rows }], shown: 'page' } }];
}

/** Checks without a verdict, by reason, and the requirements that have none because of them. */
export function neverSection(results: Results, whole: ResultLine): Section {
  const shown = shownOf(results);
  const of = new Map(shown.map((check) => [check.id, check]));
  const never = new Set(neverCameUp(results));
  const lines = skips(shown).map((group): Line => {
    const { kind, why, ids } = group;
    const without = [...new Set(ids.flatMap((id) => of.get(id)?.requirement ?? []))].filter((id) => never.delete(id));
    // Skips that the intern, or the moment, decided differ from check to check.
    const one = kind === 'intern' || kind === 'race' ? `${ids[0]}: ` : '';
    return {
      mark: String(ids.length).padStart(4),
      subject: keptBy(group),
      sentence: `${one}${why}`,
      ...(without.length > 0 && { beside: `so never ${without.join(', ')}` }),
      ids,
      members: ids.flatMap((id) => of.get(id) ?? []).map(whole),
    };
  });
  return { title: 'What never came up, and why', lines };
}
