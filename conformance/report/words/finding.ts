import { brief } from '../../model/assert.js';
import {
  type AnswerGot,
  type Constraint,
  isGist,
  type Mistake,
  type OrderGot,
  type Remark,
  type StreamGot,
  type Wanted,
} from '../../model/finding.js';
import { isRecord } from '../../probe/json.js';
import type { NoAnswerGot } from '../../probe/wait.js';
import { breachInPlace, breachText, STREAM_ORDER } from './stream.js';

/** A finding as a reader sees it. `expected` and `actual` are texts, or the values themselves. */
export interface FindingText {
  readonly what: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** Whether a value is an answer, as findings have it. */
export const isAnswer = (value: unknown): value is AnswerGot =>
  isRecord(value) && typeof value.status === 'number' && typeof value.text === 'string';

export const answerText = ({ status, text }: AnswerGot): string => `${status} ${text}`.trim();

/** The observed value, or the words that its check has for it. */
export function gotText(got: unknown): unknown {
  if (isAnswer(got)) return answerText(got);
  if (!isGist(got)) return got;
  if (got.saw === undefined) return got.gist;
  const saw = gotText(got.saw);
  return `${got.gist}; ${typeof saw === 'string' ? saw : brief(saw)}`;
}

/** The expectation of a rule, as a value or in words. */
export function ruleText(rule: Constraint): unknown {
  switch (rule.kind) {
    case 'is':
      return rule.value;
    case 'not':
      return `anything but ${brief(rule.value)}`;
    case 'one-of':
      return `one of ${brief(rule.values)}`;
    case 'form':
      return rule.form;
    case 'holds':
      return rule.words;
  }
}

type WantedStatus = Extract<Wanted, { kind: 'status' }>;

/** `201`, `a success (200, 201)`, `a refusal (4xx)`. */
export function statusText({ class: kind, statuses }: WantedStatus): unknown {
  const [only, ...others] = statuses;
  if (only === undefined)
    return {
      success: 'a success (2xx)',
      refusal: 'a refusal (4xx)',
      stream: 'an event stream (200, text/event-stream)',
      other: 'another status',
    }[kind];
  if (others.length === 0) return only;
  return statuses.every((status) => status < 300) ? `a success (${statuses.join(', ')})` : statuses;
}

/** The fact that was known when an answer came: `although no run of the intern streams, the last one has ended`. */
export function althoughText(because: Remark | undefined): string | undefined {
  if (because?.kind === 'names-the-question') return 'although it names call and session_id of the stream that asked';
  if (because?.kind !== 'no-run-streams') return undefined;
  const last = because.last === 'asked' ? 'waits on a question' : 'has ended';
  return `although no run of the intern streams, the last one ${last}`;
}

/** An answer in a word or two: status and reason, status of a turn, or what it is. */
export const answerGist = ({ status, reason, says, type }: AnswerGot): string =>
  `${status} ${reason ?? says ?? type ?? 'without content type'}`;

function statusActual(wanted: WantedStatus, got: AnswerGot, because: Remark | undefined): string {
  const although = althoughText(because);
  if (wanted.class === 'stream')
    return `${[answerGist(got), although].filter((part) => part !== undefined).join(' ')}: ${got.text}`;
  return because?.kind === 'note' ? `${because.note}; ${answerText(got)}` : answerText(got);
}

function streamText(wanted: Extract<Wanted, { kind: 'stream' }>, got: unknown, of: string): FindingText {
  if (wanted.rule === 'order') {
    const { breaches, events } = got as OrderGot;
    const what = `order and shape of ${of} (${breaches[0]?.requirement})`;
    return {
      what,
      expected: STREAM_ORDER,
      actual: breaches.map((breach, at) => (at > 2 ? breachText(breach) : breachInPlace(breach, events))).join('\n'),
    };
  }
  const { chunks, content = '', done, ended, error, finish = 'none', silent = 0 } = got as StreamGot;
  if (wanted.rule === 'finish') {
    const failed = error === undefined ? '' : `; error ${brief(error)}`;
    const actual = `${finish}; content ${brief(content)}${failed}`;
    return { what: `finish_reason of ${of}`, expected: wanted.finish, actual };
  }
  const { awaited } = wanted;
  if (ended !== undefined) {
    const actual = `over before that; it ended (${ended}) after ${chunks} chunks, finish_reason ${finish}`;
    return { what: of, expected: awaited, actual };
  }
  if (done === true) return { what: of, expected: 'to end after [DONE]', actual: 'still open' };
  const actual = `silent for ${Math.round(silent / 1_000)} s; after ${chunks} chunks nothing came, not even a keepalive`;
  return { what: of, expected: `${awaited}, or a keepalive within 30 s`, actual };
}

function plainText({ wanted, got, of, because }: Mistake): FindingText {
  switch (wanted.kind) {
    case 'status': {
      const what = wanted.statuses.length > 0 ? `status of ${of}` : of;
      return { what, expected: statusText(wanted), actual: statusActual(wanted, got as AnswerGot, because) };
    }
    case 'value':
      return { what: of, expected: ruleText(wanted.rule), actual: gotText(got) };
    case 'effect':
      return { what: of, expected: wanted.words, actual: gotText(got) };
    case 'stream':
      return streamText(wanted, got, of);
    case 'answer': {
      const { kind, detail } = got as NoAnswerGot;
      if (kind === 'hung' || kind === 'crashed') return { what: kind, expected: 'an answer', actual: detail };
      return { what: of, expected: 'an HTTP answer', actual: `${kind}: ${detail}` };
    }
  }
}

/** A remark beside the subject of a finding. */
const beside = (because: Remark | undefined): string => {
  if (because?.kind === 'cut') return `, cut at [${because.at.join(', ')}]`;
  if (because?.kind !== 'left') return '';
  const ago = Math.round(because.ago / 1_000);
  return `; a client left a stream of that intern ${ago} s ago, and its run should be over 30 s later (CHAT-10; look with --slow 31s --only 'disconnect/*')`;
};

/** A finding in words. Where several things differ, each side names all of them. */
export function findingText(found: Mistake & { readonly others?: readonly Mistake[] }): FindingText {
  const all = [found, ...(found.others ?? [])].map(plainText);
  const [first, ...others] = all;
  const side = (which: 'expected' | 'actual') => {
    const sole = first?.[which] === undefined ? 'undefined' : first[which];
    return others.length === 0 ? sole : Object.fromEntries(all.map((one) => [one.what, one[which]]));
  };
  const what = all.map((one) => one.what).join(', ');
  return {
    what: `${what}${beside(found.because)}`,
    expected: side('expected'),
    actual: side('actual'),
  };
}
