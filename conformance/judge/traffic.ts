import type { BeginJudge, JudgeTraffic } from '../../emulator/contract/checks.js';
import type { Journaled } from '../../emulator/contract/journal-entry.js';
import { brief } from '../model/assert.js';
import type { Body } from '../model/exchange.js';
import { isGist } from '../model/finding.js';
import { type FindingText, findingText } from '../report/words/finding.js';
import { exchangeBy, isRedacted, type Parts, splitPath, textBody } from './exchange.js';
import { createJudge, type Ruling } from './judge.js';

const NOT_JUDGED = { verdict: 'not_judged', rules: [], broken: [] } as const;

/** The body, as far as it is known: many refusals come before it is read. */
function bodyOf({ request: { body }, response: { status }, truncated }: Journaled): Body {
  const isUnread = body === null && (status === null || status >= 400);
  return truncated === true || isUnread || isRedacted(body ?? '') ? { kind: 'unknown' } : textBody(body ?? '');
}

/** The caller: the journal names callers, and shows no credential. One that is nobody's is not known. */
const callerOf = ({ caller, request }: Journaled): string | null | undefined =>
  caller ?? (request.headers.authorization === undefined ? null : undefined);

function answerOf(entry: Journaled, at: number): Parts['answer'] {
  const { response, writes, closed, ms, truncated } = entry;
  const { status, headers, body } = response;
  const isUnderWay = ms === null || (writes !== undefined && closed === undefined);
  if (status === null || isUnderWay) return undefined;
  const pieces =
    writes?.map((write) => ({ at: Date.parse(write.at), text: write.text })) ??
    (body === null ? [] : [{ at: at + ms, text: body }]);
  return {
    at: closed === undefined ? at + ms : Date.parse(closed.at),
    status,
    header: (name) => headers[name],
    pieces,
    whole:
      truncated !== true &&
      (closed === undefined || closed.how === 'complete') &&
      !pieces.some(({ text }) => isRedacted(text)),
  };
}

/** Fixed words as they are, and values as JSON. */
function wordsOf({ wanted, got }: NonNullable<Ruling['breach']>['found'], { expected, actual }: FindingText) {
  const isWords = wanted.kind === 'value' && wanted.rule.kind === 'holds';
  return {
    expected: isWords ? String(expected) : brief(expected),
    actual: isGist(got) ? String(actual) : brief(actual),
  };
}

/** Judges the traffic of an emulator as its journal shows it. Changes beside requests are not known. */
export const createTraffic: BeginJudge = (profile, emulated): JudgeTraffic => {
  const judge = createJudge({ profile, ours: emulated });
  const conversation = judge.open('the journal', { hosts: true });
  let number = 0;
  return (entry) => {
    const { request } = entry;
    const { pathname, search } = new URL(request.url);
    const split = splitPath(pathname + search);
    // No recording has it: the refusal is not that of the deployment.
    const isUnrecorded = !emulated && entry.operation === null && entry.wrong !== null;
    if (split === undefined || isUnrecorded) return NOT_JUDGED;
    const at = Date.parse(entry.at);
    const rulings = conversation.sees(
      exchangeBy(
        {
          number: ++number,
          at,
          method: request.method,
          path: split.path,
          header: (name) => request.headers[name],
          body: bodyOf(entry),
          caller: callerOf(entry),
          answer: answerOf(entry, at),
        },
        profile.tool_name,
      ),
    );
    if (rulings.length === 0) return NOT_JUDGED;
    const broken = rulings.flatMap(({ rule, breach }) => {
      if (breach === undefined) return [];
      const text = findingText(breach.found);
      return [{ rule: rule.id, sentence: rule.says, what: text.what, ...wordsOf(breach.found, text) }];
    });
    return {
      verdict: broken.length > 0 ? 'broken' : 'kept',
      rules: rulings.map(({ rule }) => rule.id),
      broken,
    };
  };
};
