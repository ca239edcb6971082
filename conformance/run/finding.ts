import { curlParts, folded, shellWord } from '../../emulator/contract/pasted.js';
import { clipped } from '../../emulator/contract/visible.js';
import { type Constraint, type Finding, type Found, isGist, type Mistake, type Wanted } from '../model/finding.js';
import type { Skip } from '../model/skip.js';
import { variable } from '../model/target.js';
import type { ShownExchange } from '../probe/evidence.js';
import type { Redactor } from '../probe/redact.js';
import type { CredentialName } from '../probe/request.js';
import type { Attempt } from './attempt.js';
import type { Check } from './check.js';
import type { FindingResult } from './results.js';
import type { RunContext } from './session.js';

/** Characters that are kept of a value, after secrets are removed. */
const KEPT = 2_000;

function short(value: unknown): unknown {
  if (typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol') return String(value);
  if (typeof value === 'string') return clipped(value, KEPT);
  if (Array.isArray(value)) return value.map(short);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, short(entry)]));
}

type Hiding = Pick<Redactor, 'text' | 'deep' | 'words'>;

/** Data as JSON, without secrets. They are removed before long texts are cut. */
export const recorded = <Data>(data: Data, { deep }: Pick<Hiding, 'deep'>): Data => short(deep(data)) as Data;

function ruleIn(rule: Constraint, redactor: Hiding): Constraint {
  switch (rule.kind) {
    case 'is':
    case 'not':
      return { ...rule, value: recorded(rule.value, redactor) };
    case 'one-of':
      return { ...rule, values: recorded(rule.values, redactor) };
    case 'form':
      return { ...rule, form: redactor.words(rule.form) };
    case 'holds':
      return { ...rule, words: redactor.words(rule.words) };
  }
}

const wantedIn = (wanted: Wanted, redactor: Hiding): Wanted =>
  wanted.kind === 'value'
    ? { ...wanted, path: redactor.words(wanted.path), rule: ruleIn(wanted.rule, redactor) }
    : wanted;

function gotIn(got: unknown, redactor: Hiding): unknown {
  if (!isGist(got)) return recorded(got, redactor);
  const { gist, saw } = got;
  return { gist: redactor.words(gist), ...(saw === undefined ? {} : { saw: recorded(saw, redactor) }) };
}

/**
 * A finding as JSON can carry it: secrets are taken out of what was seen, and of what a value was compared with. The kit's
 * own words stay as they are, for a secret may be spelt like a part of them.
 */
export const foundIn = <One extends Mistake>(found: One, redactor: Hiding): One => ({
  ...found,
  of: redactor.words(found.of),
  wanted: wantedIn(found.wanted, redactor),
  got: gotIn(found.got, redactor),
  ...(found.change === undefined ? {} : { change: recorded(found.change, redactor) }),
});

/** A skip as JSON, without secrets. */
export function skipIn(skip: Skip, redactor: Hiding): Skip {
  if (skip.kind !== 'race') return recorded(skip, redactor);
  const { because } = skip;
  if (because.kind === 'not-again')
    return { ...skip, because: { ...because, found: foundIn(because.found, redactor) } };
  if (because.kind === 'never-the-same')
    return { ...skip, because: { ...because, found: because.found.map((one) => foundIn(one, redactor)) } };
  return recorded(skip, redactor);
}

/** A request as a curl command, with environment variables for credentials. */
export function curl({ request }: ShownExchange): string {
  const { authorization = '', ...headers } = request.headers;
  const as = /^Bearer \[([a-z_]+)\]$/.exec(authorization)?.[1];
  const credential = as === undefined || as === 'redacted' ? undefined : variable(as as CredentialName);
  const sent = { ...request, headers: credential === undefined ? request.headers : headers, credential };
  return folded(curlParts(sent, ['-i', '-N']));
}

/** A finding as data, free of secrets, with all that a reader needs to act on it. `askedBy`: the check that asked. */
export function reported(
  run: RunContext,
  check: Check,
  { found, property }: Finding,
  { transcript, control }: Pick<Attempt, 'transcript' | 'control'>,
  askedBy: string = check.id,
): FindingResult {
  const { settings, session } = run;
  const { redactor } = session;
  const last = transcript.at(-1);
  const ids = [...new Set([askedBy, check.id])].join(',');
  const flags = ['--only', shellWord(ids), '--seed', shellWord(settings.seed), '--runs', String(settings.runs)];
  if (property !== undefined) flags.push('--path', shellWord(`${property.name}:${property.path}`));
  const { breaks: broken, ...look } = foundIn(found, redactor);
  return {
    ...(last === undefined ? {} : { exchange: last.number }),
    ...look,
    ...breaks(check, broken),
    ...(property === undefined
      ? {}
      : { property: { ...property, counterexample: recorded(property.counterexample, redactor) } }),
    ...(askedBy === check.id ? {} : { askedBy }),
    transcript,
    ...(control.length === 0 ? {} : { control: recorded(control, redactor) }),
    ...(last === undefined ? {} : { curl: redactor.text(curl(last)) }),
    seed: settings.seed,
    runs: settings.runs,
    replay: [settings.command, ...flags].join(' '),
  };
}

/** The requirement that a finding breaks, and its level, where they are not those of its check. */
const breaks = (check: Check, other: Found['breaks']): Pick<FindingResult, 'breaks' | 'level'> => ({
  ...(other === undefined || other.requirement === check.requirement ? {} : { breaks: other.requirement }),
  ...(other === undefined || other.level === check.level ? {} : { level: other.level }),
});
