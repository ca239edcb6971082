import { createHash } from 'node:crypto';
import { recordAssertions } from '../model/assert.js';
import type { Constraint, Wanted } from '../model/finding.js';
import { quoteOf, requirement, sentenceOf } from '../requirements/index.js';
import { publishedOf } from '../requirements/published.js';
import type { Check } from '../run/check.js';
import { tryChecks } from './try.js';

/** Two seeds: what is wanted with both is wanted whatever is drawn. */
const SEEDS = ['first', 'second'] as const;

/** Ids, names of the run, times and long numbers: another in each run. */
const DRAWN = /[0-9a-f]{8}-[0-9a-f-]{27}|\bk[a-z0-9]{4}-[a-z0-9]+|\d{4}-\d\d-\d\dT[\d:.]+Z|\b\d{5,}\b/gi;
/** Longest value that is part of a digest: longer ones are made up for the request. */
const LONGEST = 120;

/** The parts of a phrase that stay when it is reworded: numbers, quoted texts, names of fields and headers. */
const literals = (words: string): string =>
  [...words.matchAll(/`[^`]*`|"[^"]*"|\b\w+_\w+\b|\b\d+\b/g)].map(([found]) => found).join(' ');

/** The name of a field; a noun in prose may be reworded. */
const fieldOf = (path: string): string => (/^[\w.[\]-]+$/.test(path) && /[._]|^[a-z]+$/.test(path) ? path : '');

function shownValue(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > LONGEST ? '…' : text.replace(DRAWN, '…');
}

function ruleOf(rule: Constraint): readonly [kind: string, value: string] {
  switch (rule.kind) {
    case 'is':
    case 'not':
      return [rule.kind, shownValue(rule.value)];
    case 'one-of':
      return [rule.kind, shownValue([...rule.values].map(shownValue).sort())];
    case 'form':
      return [rule.kind, literals(rule.form)];
    case 'holds':
      return [rule.kind, literals(rule.words)];
  }
}

/** An expectation in the form that a digest is made of: with its value, and without. */
function formsOf(wanted: Wanted): readonly [whole: string, outline: string] {
  switch (wanted.kind) {
    case 'status': {
      const text = `status ${wanted.class} ${[...wanted.statuses].sort((one, other) => one - other).join(',')}`;
      return [text, text];
    }
    case 'value': {
      const [kind, value] = ruleOf(wanted.rule);
      const head = `value ${fieldOf(wanted.path)} ${kind}`;
      return [`${head} ${value}`, head];
    }
    case 'stream': {
      const text = `stream ${wanted.rule} ${'finish' in wanted ? wanted.finish : ''}`;
      return [text, text];
    }
    default:
      return [wanted.kind, wanted.kind];
  }
}

/** The expectations of a check with one seed. */
async function expectations(check: Check, seed: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const note = (wanted: Wanted) => {
    const [whole, outline] = formsOf(wanted);
    found.set(whole, outline);
  };
  await recordAssertions(note, () => tryChecks([check], {}, { runs: check.minRuns ?? 1, seed }));
  return found;
}

/** The ground of a check: the requirement at its level, and the quoted part of it. */
function standsOn(check: Check): readonly string[] {
  const row = requirement(check.requirement);
  const quote = check.level === 'S' ? quoteOf(row.id) : publishedOf(row.id)?.quote;
  return [`${row.id} ${check.level}`, sentenceOf(row, check.level), ...(quote === undefined ? [] : [quote])];
}

/** The expectations of a check, whatever is drawn. */
export async function wantedBy(check: Check): Promise<readonly string[]> {
  const [one, other] = await Promise.all(SEEDS.map((seed) => expectations(check, seed)));
  const both = (left: Iterable<string>, right: Iterable<string>) => {
    const there = new Set(right);
    return [...left].filter((text) => there.has(text));
  };
  const wholes = both(one?.keys() ?? [], other?.keys() ?? []);
  const outlines = both(one?.values() ?? [], other?.values() ?? []);
  return [...new Set([...wholes, ...outlines])].sort();
}

const hashOf = (lines: readonly string[]): string =>
  createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 12);

/** The half of a digest that says what a check stands on: read off the check. */
export const standing = (check: Check): string => hashOf(standsOn(check));

/**
 * The half of a digest that says what a check wants. It is made of what the assertions want as they run, not of source text:
 * names, order, helpers, prose and the way to a request may change without changing it; another status, field or value changes it.
 */
export const wanting = async (check: Check): Promise<string> => hashOf(await wantedBy(check));

/** The digest of what a check asserts (KIT-9). */
export const digestOf = async (check: Check): Promise<string> => `${standing(check)}-${await wanting(check)}`;
