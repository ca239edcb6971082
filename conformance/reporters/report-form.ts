import { isRecord } from '../probe/json.js';

const VERDICTS: ReadonlySet<unknown> = new Set(['pass', 'pass-alternative', 'fail', 'warn', 'skip', 'error']);

type Fields = Readonly<Record<string, unknown>>;

const text = (value: unknown): boolean => typeof value === 'string';
const number = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);
const day = (value: unknown): boolean => typeof value === 'string' && !Number.isNaN(Date.parse(value));
const list = (value: unknown): boolean => Array.isArray(value);

type Rule = readonly [holds: (value: unknown) => boolean, expected: string];
const TEXT: Rule = [text, 'text'];
const NUMBER: Rule = [number, 'a number'];
const LIST: Rule = [list, 'a list'];
const OBJECT: Rule = [isRecord, 'an object'];

/** What every report has, and is read of it. */
const REPORT: Readonly<Record<string, Rule>> = {
  kit: TEXT,
  run: TEXT,
  started: [day, 'a time'],
  duration: NUMBER,
  requests: NUMBER,
  verdict: [(value) => value === 'pass' || value === 'fail' || value === 'incomplete', 'pass, fail or incomplete'],
  target: OBJECT,
  'target.url': TEXT,
  'target.kind': TEXT,
  options: OBJECT,
  'options.seed': TEXT,
  'options.only': LIST,
  'options.skip': LIST,
  coverage: OBJECT,
  cleanup: OBJECT,
  'cleanup.failed': LIST,
  requirements: LIST,
};

const CHECK: Readonly<Record<string, Rule>> = {
  id: TEXT,
  requirement: TEXT,
  level: [(value) => value === 'S' || value === 'P' || value === 'C', 'S, P or C'],
  title: TEXT,
  verdict: [(value) => VERDICTS.has(value), [...VERDICTS].join(', ')],
  duration: NUMBER,
  requests: NUMBER,
  properties: LIST,
};

const FINDING: Readonly<Record<string, Rule>> = { wanted: OBJECT, of: TEXT, transcript: LIST, replay: TEXT };

const at = (value: Fields, path: string): unknown =>
  path.split('.').reduce<unknown>((found, key) => (isRecord(found) ? found[key] : undefined), value);

function faultBy(rules: Readonly<Record<string, Rule>>, value: Fields, place: string): string | undefined {
  for (const [path, [holds, expected]] of Object.entries(rules)) {
    const found = at(value, path);
    if (!holds(found))
      return `${place}${path}: expected ${expected}, found ${found === undefined ? 'nothing' : typeof found}`;
  }
  return undefined;
}

function checkFault(check: unknown, index: number): string | undefined {
  const place = `checks[${index}]`;
  if (!isRecord(check)) return `${place}: expected an object`;
  const fault = faultBy(CHECK, check, `${place}.`);
  if (fault !== undefined || check.finding === undefined) return fault;
  return isRecord(check.finding)
    ? faultBy(FINDING, check.finding, `${place}.finding.`)
    : `${place}.finding: expected an object`;
}

/** What is wrong with the form of a report, and where; undefined where nothing is. */
export function reportFault(report: Fields & { readonly checks: readonly unknown[] }): string | undefined {
  const fault = faultBy(REPORT, report, '');
  if (fault !== undefined) return fault;
  for (const [index, check] of report.checks.entries()) {
    const found = checkFault(check, index);
    if (found !== undefined) return found;
  }
  return undefined;
}
