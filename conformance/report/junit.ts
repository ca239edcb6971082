import { entities, visible } from '../../emulator/contract/visible.js';
import type { CheckResult, Results } from '../run/results.js';
import { clauseOf, factLines, factsOf, skipText } from './clause.js';
import { groups } from './groups.js';
import { exchangeLines, sliceOf } from './stream-text.js';
import { knownText, LIKELY, summary } from './words/coverage.js';
import { failsRun } from './words/legend.js';
import { incompleteText } from './words/stop.js';

/** A test case of JUnit. One without an outcome passed. */
export interface Case {
  readonly area: string;
  readonly name: string;
  readonly ms?: number;
  readonly outcome?: {
    readonly kind: 'failure' | 'error' | 'skipped' | 'system-out';
    readonly message?: string;
    readonly type?: string;
    readonly text?: string;
  };
}

/** A suite of JUnit, whose counts are those of its cases. */
export interface Suite {
  /** The program that writes it. */
  readonly tool: string;
  /** The subject of all cases. */
  readonly of: string;
  readonly ms: number;
  readonly started?: string;
  /** Its summary in one line. */
  readonly headline: string;
  readonly cases: readonly Case[];
}

/** Text for XML 1.0: invalid characters are made visible, and special ones are escaped. */
const xml = (text: string): string =>
  entities(
    visible(text).replace(
      /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|[\ufffe\uffff]/g,
      '\ufffd',
    ),
  );

/** An element of XML. Attributes that are undefined are left out. */
function element(name: string, attributes: Readonly<Record<string, string | undefined>>, inner?: string): string {
  const given = Object.entries(attributes).flatMap(([key, text]) =>
    text === undefined ? [] : ` ${key}="${xml(text)}"`,
  );
  return `<${name}${given.join('')}${inner === undefined ? '/>' : `>${inner}</${name}>`}`;
}

const time = (ms: number): string => (ms / 1_000).toFixed(3);

function caseElement({ area, name, ms, outcome }: Case): string {
  const { kind, text, ...attributes } = outcome ?? {};
  const inner = kind === undefined ? undefined : element(kind, attributes, text === undefined ? undefined : xml(text));
  return `    ${element('testcase', { classname: area, name, time: ms === undefined ? undefined : time(ms) }, inner)}`;
}

/** JUnit XML as CI servers read it. */
export function junitOf({ tool, of, ms, started, headline, cases }: Suite): string {
  const many = (kind: string) => String(cases.filter(({ outcome }) => outcome?.kind === kind).length);
  const counts = {
    tests: String(cases.length),
    failures: many('failure'),
    errors: many('error'),
    skipped: many('skipped'),
  };
  const sums = { ...counts, time: time(ms) };
  const properties = `    <properties>${element('property', { name: 'headline', value: headline })}</properties>`;
  const suite = ['', properties, ...cases.map(caseElement), '  '].join('\n');
  const inner = `\n  ${element('testsuite', { name: of, timestamp: started?.slice(0, 19), ...sums }, suite)}\n`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', { name: tool, ...sums }, inner)}\n`;
}

const details = (check: CheckResult): string =>
  check.finding === undefined
    ? ''
    : [
        check.title,
        ...factLines(factsOf(check)),
        '',
        ...sliceOf(check.finding, 5).flatMap((exchange) => exchangeLines(exchange, 1_000, check.finding)),
      ].join('\n');

function outcomeOf(check: CheckResult, title: string, fails: boolean): Case['outcome'] {
  const { alternative = '', error, knownAs, skip, verdict } = check;
  if (fails) return { kind: 'failure', message: title, type: clauseOf(check).id, text: details(check) };
  if (verdict === 'error') return { kind: 'error', message: error?.message ?? '', text: error?.stack ?? '' };
  if (skip !== undefined) return { kind: 'skipped', message: skipText(skip) };
  if (verdict === 'pass-alternative') return { kind: 'system-out', text: `pass-alternative: ${alternative}` };
  const known = knownAs === undefined ? '' : `: ${knownText(knownAs)}`;
  if (verdict === 'pass') return known === '' ? undefined : { kind: 'system-out', text: `passes, known${known}` };
  const word =
    check.known === true ? `known failure${known}` : check.new === true ? 'failure of a new check' : 'warning';
  return { kind: 'system-out', text: `${word}\n${details(check)}` };
}

/** One suite, one case per check; warnings are no failures. */
export function junit(results: Results): string {
  const titles = new Map(
    groups(results.checks).flatMap(({ title, many, checks, parts }) => {
      const whole = checks.length > 1 ? `${many}: ${title}` : title;
      return parts.flatMap((part, at) => {
        const message = at === 0 ? whole : `${part.title} (${LIKELY} as of ${whole})`;
        return part.checks.map(({ id }) => [id, message] as const);
      });
    }),
  );
  const cases = results.checks.map((check): Case => {
    const outcome = outcomeOf(check, titles.get(check.id) ?? check.title, failsRun(check, results));
    const [area = 'checks'] = check.id.split('/');
    return {
      area: `conformance.${area}`,
      name: `${check.id} [${check.requirement}]`,
      ms: check.duration,
      ...(outcome && { outcome }),
    };
  });
  const why = results.incomplete.map(incompleteText).join('; ');
  const whole: Case = { area: 'conformance', name: 'the run is complete', outcome: { kind: 'error', message: why } };
  return junitOf({
    tool: 'intern-conformance',
    of: results.target.url,
    ms: results.duration,
    started: results.started,
    headline: summary(results),
    cases: results.verdict === 'incomplete' ? [...cases, whole] : cases,
  });
}
