import { type ClientCase, isScripted } from '../../emulator/contract/client-case.js';
import type { LabRun, Sent, SentPart } from '../../emulator/contract/lab-run.js';
import { CLEAN_END, exchangeOf, sentOf } from '../../emulator/lab/sent.js';
import { foundOfAll } from '../model/finding.js';
import type { Piece, ShownExchange } from '../probe/evidence.js';
import type { CheckResult, RowHead } from '../run/results.js';
import type { CaseFault, CaseFinding, CaseResult } from './evaluate.js';
import { type ClientRule, RULES_PAGE, ruleOf } from './rules.js';

/** Writes that a report shows of an answer, at most. */
const SHOWN = 40;
/** Characters of a body that a report shows, at most. */
const LONGEST = 2_000;

/** A line that is usual in a stream of a layer. */
const USUAL: Readonly<Record<ClientCase['layer'], RegExp>> = {
  chat: /^(?:|data: (?:\{.*\}|\[DONE\]))$/,
  sse: /^(?:|data: \S[\x20-\x7e]*)$/,
  signing: /^/,
};

/** Whether something was sent that most answers have not: a reader looks there first. */
const isOdd = ({ bytes, hex, text }: SentPart, { layer }: ClientCase): boolean =>
  bytes === undefined
    ? text !== CLEAN_END
    : hex === true || /^data.*\ndata/m.test(text) || !text.split('\n').every((line) => USUAL[layer].test(line));

/** The writes, in order. Pieces of a cut body look odd wherever they end, so none is marked. */
function piecesOf({ more, parts }: Sent, theCase: ClientCase, since: number, cut: boolean): Piece[] {
  let at = since;
  const pieces = parts.slice(0, SHOWN).map((part): Piece => {
    if (part.at !== undefined) at = since + Math.round(part.at);
    const { bytes, hex, text } = part;
    const shown = bytes === undefined ? `(${text})` : hex === true ? `(hex) ${text}` : text;
    return { at, text: shown, ...(!(cut && bytes !== undefined) && isOdd(part, theCase) ? { odd: true } : {}) };
  });
  const left = more + Math.max(0, parts.length - SHOWN);
  return left === 0 ? pieces : [...pieces, { at, text: `(and ${left} more writes)` }];
}

/** The lab's requests and writes, as exchanges of a report. */
function transcript(theCase: ClientCase, run: LabRun | undefined, cuts: readonly number[] | null): ShownExchange[] {
  if (run === undefined) return [];
  const sent = sentOf(theCase, { ...run, cuts: cuts ?? undefined });
  return run.requests.map((request, index): ShownExchange => {
    const since = Math.round(request.arrived - run.started);
    const exchange = exchangeOf(theCase, request, run.requests);
    const headers = exchange !== undefined && isScripted(exchange) ? exchange.headers : {};
    return {
      number: request.n,
      at: since,
      request: {
        method: request.method,
        url: request.path,
        headers: Object.fromEntries(request.headers),
        ...(request.body === '' ? {} : { body: request.body.slice(0, LONGEST) }),
      },
      ...(request.status === undefined
        ? { error: 'no head was sent' }
        : {
            response: {
              at: Math.round((request.headed ?? request.arrived) - run.started),
              status: request.status,
              headers: Object.fromEntries(
                Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]),
              ),
              pieces: piecesOf(
                sent[index] ?? { request: request.n, parts: [], more: 0 },
                theCase,
                since,
                cuts !== null,
              ),
              sent: true,
              ended: 'end',
            },
          }),
    };
  });
}

/** The finding of a case: why there was no answer, or every difference. */
function lookOf({ cuts, differences, noAnswer }: CaseFinding): ReturnType<typeof foundOfAll> {
  const because = cuts === null ? {} : { because: { kind: 'cut', at: cuts } as const };
  const [first, ...others] = differences;
  if (noAnswer !== undefined || first === undefined)
    return { wanted: { kind: 'answer' }, got: noAnswer, of: 'the client', ...because };
  return { ...foundOfAll([first, ...others]), ...because };
}

const faultText = (fault: CaseFault | undefined): string => {
  if (fault?.kind === 'twice') return 'the adapter answered a run twice';
  return fault?.message ?? 'it could not be judged';
};

/** Where a rule stands: its source, and the page that has it in words. */
const cited = (rule: ClientRule | undefined): string[] =>
  rule === undefined ? [] : [`${rule.source}, ${RULES_PAGE}#${rule.anchor}`];

/** The row of a case before it is run. */
export function headOf({ class: group, id, layer, seen, title, why }: ClientCase): RowHead {
  const [first, ...others] = why.map((cites) => ruleOf(cites, layer));
  const clause = {
    sentence: first?.sentence ?? title,
    where: [...[first, ...others].flatMap(cited), ...seen].join('; ') || `class ${group}`,
    ...(first === undefined || first.sentence === first.source ? {} : { rule: first.anchor }),
  };
  return { id, requirement: 'LAB-3', level: 'C', clause, title };
}

const faulty = (fault: CaseFault | undefined) =>
  ({ verdict: 'error', error: { message: faultText(fault), transcript: [], whose: 'adapter' } }) as const;

/** The row of a case whose run was answered once more later on: what it came to counts no longer. */
export const twice = ({ finding: _, alternative: __, known: ___, ...row }: CheckResult): CheckResult => ({
  ...row,
  ...faulty({ kind: 'twice' }),
});

/** The result of a case as a row of a report, like that of a check (LAB-10). `again` is the command that runs it alone. */
export function toCheckResult(
  theCase: ClientCase,
  { fault, finding, requests, run, skip, verdict, why }: CaseResult,
  { again, duration }: { readonly duration: number; readonly again: string },
): CheckResult {
  return {
    ...headOf(theCase),
    verdict,
    duration: Math.round(duration),
    requests,
    properties: [],
    ...(finding === undefined
      ? {}
      : { finding: { ...lookOf(finding), transcript: transcript(theCase, run, finding.cuts), replay: again } }),
    ...(skip === undefined ? {} : { skip }),
    ...(verdict === 'error' ? faulty(fault) : {}),
    ...(verdict === 'pass-alternative' && why !== undefined ? { alternative: why } : {}),
  };
}
