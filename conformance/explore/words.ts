import { stripVTControlCharacters } from 'node:util';
import { type DisturbanceName, disturbanceOf } from '../../emulator/contract/disturbance.js';
import { answerGist, clip, requestGist, writeGist } from './gist.js';
import type { AppRun } from './run.js';
import type { Schedule } from './schedules.js';
import type { Moment, Outcome, TimeLineEntry } from './types.js';

const ORDINALS = ['th', 'st', 'nd', 'rd'];
export function ordinal(n: number): string {
  const last = n % 100;
  return `${n}${(last > 10 && last < 14 ? undefined : ORDINALS[last % 10]) ?? 'th'}`;
}

const NOUNS: Readonly<Record<string, string>> = {
  list: 'list request',
  create: 'create',
  get: 'read of an intern',
  update: 'update',
  delete: 'delete',
  provision: 'provision',
  suspend: 'suspend',
  chat: 'prompt',
  answer: 'answer',
  invoke: 'invoke',
  daemon: 'daemon access',
  sign: 'signing request',
  scim: 'SCIM request',
  'daemon-request': 'request to the daemon',
};

const PLACES: Readonly<Record<string, string>> = {
  first: 'after its first event',
  'before-finish': 'before its finish chunk',
  'before-final': 'before its final chunk',
  'before-done': 'before [DONE]',
  'after-done': 'after [DONE]',
  asked: 'once it was asked',
  'answer-sent': 'as its answer came',
};

function placeOf({ write, state }: Moment): string {
  const place = write ?? state;
  if (place === undefined) return '';
  const [what = '', within] = place.split('@');
  const [kind, n] = what.split(':');
  if (kind === 'content') return ` ${within === undefined ? 'after' : 'within'} its ${ordinal(Number(n))} text`;
  if (kind === 'tool-arguments') return within === undefined ? ' after its question' : ' within its question';
  return ` ${PLACES[what] ?? what}`;
}

/** Where and what, as a sentence: `at the 2nd prompt, the stream was cut before its finish chunk`. */
export function happening(kind: string, moment: Moment): string {
  const noun = NOUNS[moment.operation] ?? moment.operation;
  const { what } = disturbanceOf(kind as DisturbanceName);
  return `at the ${ordinal(moment.nth)} ${noun}, ${what}${placeOf(moment)}`;
}

/** The events of a schedule, and its outcome. */
export function sentenceOf({ of, kind, moment }: Schedule, message: string): string {
  const parts = of === undefined ? [{ kind, moment }] : of;
  return `${parts.map((part) => happening(part.kind, part.moment)).join('; ')}: ${clip(message.replace(/\s+/g, ' '), 240)}`;
}

export function outcomeText(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'passed':
      return 'passed';
    case 'failed':
      return `failed: ${outcome.message}`;
    case 'crashed':
      return `crashed: ${outcome.message}`;
    case 'hung':
      return `did not end: ${outcome.waitsFor}`;
  }
}

/** How many lines that are printed between two requests are shown. */
const SHOWN = 20;

/** The lines of a run: requests with their answers and writes, the disturbance, what was printed, the outcome. */
export function timeLineOf({ seen, prints }: AppRun): TimeLineEntry[] {
  const lines: TimeLineEntry[] = [];
  // Whole lines, as the pieces of the output are random.
  const printed = (after: number) => {
    const pieces = prints.filter((print) => print.after === after).map(({ text }) => text);
    const said = stripVTControlCharacters(pieces.join(''))
      .split('\n')
      .filter((line) => line.trim() !== '');
    const more = said.length - SHOWN;
    const shown = more <= 0 ? said : [...said.slice(0, SHOWN / 2), `… ${more} lines more`, ...said.slice(-SHOWN / 2)];
    for (const line of shown) lines.push({ kind: 'print', text: clip(line.trimEnd(), 160) });
  };
  printed(0);
  for (const { n, method, path, body, status, reason, answer, writes, ended, disturbed, acted } of seen.requests) {
    lines.push({ kind: 'request', request: n, text: requestGist(method, path, body) });
    const disturbance = disturbed === undefined ? undefined : disturbanceOf(disturbed as DisturbanceName);
    const within = disturbance?.at === 'write' && writes !== undefined;
    const happens = () => {
      if (disturbance !== undefined) lines.push({ kind: 'disturbance', request: n, text: disturbance.what });
    };
    if (!within) happens();
    if (status !== undefined)
      lines.push({
        kind: 'answer',
        request: n,
        text: answerGist(status, reason, writes === undefined ? answer : ''),
      });
    else if (acted !== undefined) lines.push({ kind: 'answer', request: n, text: `(the service answered ${acted})` });
    for (const { text } of writes ?? []) lines.push({ kind: 'write', request: n, text: writeGist(text) });
    if (within) happens();
    if (ended !== 'complete') lines.push({ kind: 'end', request: n, text: ENDS[ended] });
    printed(n);
  }
  lines.push({ kind: 'outcome', text: clip(outcomeText(seen.outcome), 2_000) });
  return lines;
}

const ENDS = { left: 'the client left', broken: 'the connection broke', open: 'still open at the end' } as const;
