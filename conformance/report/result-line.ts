import { counted } from '../../emulator/contract/counted.js';
import { operationOf } from '../probe/evidence.js';
import type { CheckResult, Results } from '../run/results.js';
import { clauseOf, type Fact, factsOf, levelOf, skipText } from './clause.js';
import type { Line, Said, Tone } from './sheet/sheet.js';
import { coloursFor, fullRows } from './sheet/terminal.js';
import { seconds } from './stream-text.js';
import { faultOf, titleOf } from './title.js';
import { knownText } from './words/coverage.js';
import { type Label, LEVELS, labelOf } from './words/legend.js';

const TONES: Readonly<Record<Label, Tone>> = {
  pass: 'good',
  'pass-alternative': 'good',
  fail: 'bad',
  warn: 'warn',
  skip: 'quiet',
  error: 'fault',
  known: 'warn',
  new: 'new',
};

export const toneOf = (check: CheckResult): Tone => TONES[labelOf(check)];
export const marked = (check: CheckResult) => ({ mark: labelOf(check).padEnd(5), tone: toneOf(check) });

/** Lines of the stack of an error. */
const STACK = 3;

/** The latest exchange before an error. */
const afterText = ({ transcript }: NonNullable<CheckResult['error']>): string => {
  const last = transcript.at(-1);
  return last === undefined ? '' : ` after exchange ${last.number}`;
};

/** A check that found something, in full. */
export function lineOf(check: CheckResult, { stack: most = STACK } = {}): Line {
  const { clause, error, finding, knownAs, requirement, title } = check;
  const { id, sentence, where } = clauseOf(check);
  const met = id === requirement ? '' : `, met by a check of ${requirement}`;
  const stack = error?.stack?.split('\n').slice(1, most + 1) ?? [];
  const facts = factsOf(check);
  const again = facts.filter(([name]) => name === 'curl' || name === 'again').reverse();
  const known: Fact[] = knownAs === undefined ? [] : [['known', knownText(knownAs)]];
  return {
    ...marked(check),
    subject: check.id,
    beside: `${id}, ${LEVELS[levelOf(check)]}${met}`,
    said: [
      ...(clause === undefined ? [] : [{ text: title }]),
      { text: sentence, beside: `(${where})` },
      ...(error === undefined ? [] : [{ text: `${faultOf(check)}${afterText(error)}: ${error.message}` }]),
      ...stack.map((text): Said => ({ text, tone: 'quiet' })),
    ],
    facts: [...known, ...facts.filter((fact) => !again.includes(fact))],
    ...(finding && { finding }),
    ...((finding ?? error) && { exchanges: (finding ?? error)?.transcript ?? [] }),
    again,
  };
}

/** One failing check in full, as text: what was asked, what came, how to repeat it. */
export const failureText = (check: CheckResult): string => fullRows(lineOf(check), coloursFor()).join('\n');

/** Most checks that are named for one answer. */
const NAMED = 6;

/** Finds in all transcripts of a report how the request of a finding was answered elsewhere. */
function answersIn({ checks }: Pick<Results, 'checks'>): (check: CheckResult) => Fact[] {
  const found = new Map<string, Map<string, Set<string>>>();
  for (const { id, finding, error } of checks)
    for (const exchange of finding?.transcript ?? error?.transcript ?? []) {
      const operation = operationOf(exchange);
      const answers = found.get(operation) ?? new Map<string, Set<string>>();
      found.set(operation, answers);
      const status = String(exchange.response?.status ?? 'no answer');
      answers.set(status, (answers.get(status) ?? new Set()).add(id));
    }
  return ({ id, finding }) => {
    const shown = finding?.transcript.find(({ number }) => number === finding.exchange) ?? finding?.transcript.at(-1);
    // The lab's requests all come from one client.
    if (shown === undefined || shown.response?.sent) return [];
    const operation = operationOf(shown);
    const rows = [...(found.get(operation) ?? [])]
      .map(([status, ids]) => ({ status, ids, many: ids.size - (ids.has(id) ? 1 : 0) }))
      .filter(({ many }) => many > 0)
      .sort((one, other) => other.many - one.many)
      .map(({ status, ids, many }) => {
        const named = [...ids].filter((one) => one !== id).slice(0, NAMED);
        return `${status} in ${named.join(', ')}${many > named.length ? ` and ${many - named.length} more` : ''}`;
      });
    return rows.length === 0 ? [] : [[`The same request elsewhere in this report: ${operation}`, rows.join('\n')]];
  };
}

/** Why a check found nothing, and what it tried. */
function quietText({ alternative, properties, skip }: CheckResult): string {
  if (skip !== undefined) return `No verdict: ${skipText(skip)}`;
  if (alternative !== undefined) return `Also right: ${alternative}`;
  return ['Nothing found.', ...properties.map(({ name, runs }) => `${name}: ${counted(runs, 'run')}`)].join(' ');
}

/** Makes the line of a check with all that a page shows of it, whatever its verdict, once a page asks for it. */
export type ResultLine = (check: CheckResult) => () => Line;

export function resultLines(results: Pick<Results, 'checks'>): ResultLine {
  let answers: ReturnType<typeof answersIn> | undefined;
  return (check) => () => {
    const { said = [], facts = [], ...line } = lineOf(check, { stack: Number.POSITIVE_INFINITY });
    const found = check.finding ?? check.error;
    answers ??= answersIn(results);
    return {
      ...line,
      level: levelOf(check),
      sentence: found === undefined ? check.title : titleOf(check),
      said: [
        ...said.filter(({ text }) => found !== undefined || text !== check.title),
        ...(found === undefined ? [{ text: quietText(check) }] : []),
        { text: `${counted(check.requests, 'request')}, ${seconds(check.duration)}`, tone: 'quiet' },
      ],
      facts: [...facts, ...answers(check)],
    };
  };
}
