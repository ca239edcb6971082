import { counted } from '../../../emulator/contract/counted.js';
import { brief } from '../../model/assert.js';
import type { Found, ValueChange } from '../../model/finding.js';

const PLACES = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];

/** `the second tool call (index 1)`, `event 2`. */
const placed = (thing: 'call' | 'event', at: number): string => {
  const place = PLACES[at] ?? `${at + 1}th`;
  return thing === 'call' ? `the ${place} tool call (index ${at})` : `the ${place} event`;
};

const several = (thing: 'call' | 'event', at: number, many: number): string =>
  many > 1 ? `${placed(thing, at)} and ${many - 1} more` : placed(thing, at);

/** A change in one sentence without a full stop. The sentence leaves out `values`. */
export function changeText(change: ValueChange, values: { readonly got: string; readonly expected: string }): string {
  const { got, expected } = values;
  switch (change.kind) {
    case 'lost': {
      const { thing, at, many } = change;
      const place = thing === 'call' ? `the ${PLACES[at] ?? `${at + 1}th`} tool call` : placed(thing, at);
      const index = thing === 'call' ? ` (index ${at})` : '';
      return many > 1 ? `${several(thing, at, many)} were lost` : `${place} was lost${index}`;
    }
    case 'extra': {
      const one = change.thing === 'call' ? 'a tool call' : 'an event';
      return change.many > 1
        ? `${change.many} ${change.thing === 'call' ? 'tool calls' : 'events'} were made up`
        : `${one} was made up, as ${placed(change.thing, change.at)}`;
    }
    case 'unfinished':
      return 'a tool call that was not finished was handed out';
    case 'merged':
      return `two tool calls became one (index ${change.at} and ${change.at + 1})`;
    case 'part':
      return `the ${change.part} of ${placed(change.thing, change.at)}: ${brief(change.got, 80)}, expected ${brief(change.expected, 80)}`;
    case 'text':
      if (change.how === 'cut') return `the text breaks off after ${counted(change.from, 'character')}`;
      if (change.how === 'longer') return `the text goes on after its ${counted(change.from, 'character')}`;
      return `the text is another from character ${change.from + 1} on`;
    case 'undecoded':
      return 'a character was torn: its bytes were decoded apart from each other, and became U+FFFD';
    case 'outcome':
      return change.success
        ? 'the client reported success where the call has failed'
        : `the client failed where the call has succeeded (${got})`;
    case 'varies':
      return 'the result depends on how the bytes are cut';
    case 'slow':
      return `the client is too slow: ${got}`;
    case 'requests':
      return `the client sent ${got} requests, expected ${expected}`;
  }
}

interface Marks {
  readonly change?: Found['change'] | undefined;
  readonly because?: Found['because'] | undefined;
}

/** When a client is wrong only as the bytes are cut. */
export const cutText = (because: Found['because'] | undefined, change?: ValueChange): string => {
  if (because?.kind !== 'cut' || change?.kind === 'varies') return '';
  return because.at.length === 0 ? ' when all comes in one piece' : ' when the bytes come in pieces';
};

/**
 * The mistake behind a change, which many cases may show: the same for all findings of one. A client that reads each piece for
 * itself, or decodes it so, is one mistake however many cases are cut; else a mistake is one symptom under one rule.
 */
export function mistakeOf({ change, because }: Marks, rule: string | undefined): string | undefined {
  if (change?.kind === 'undecoded') return 'undecoded';
  if (because?.kind === 'cut') return because.at.length === 0 ? 'one piece' : 'pieces';
  if (change === undefined) return undefined;
  const what = 'thing' in change ? change.thing : '';
  const part = change.kind === 'part' ? change.part : change.kind === 'text' ? change.how : '';
  return [change.kind, what, part, rule ?? ''].join(' ');
}

const plural = (thing: 'call' | 'event'): string => (thing === 'call' ? 'tool calls' : 'events');

/** The mistake of several findings that share it, where its symptoms differ. */
export function mistakeText({ change, because }: Marks, values: Parameters<typeof changeText>[1]): string | undefined {
  if (change?.kind === 'undecoded') return changeText(change, values);
  if (because?.kind === 'cut')
    return because.at.length === 0
      ? 'what comes after the first event of a piece is not read'
      : 'each piece of the body is read for itself: what is cut is lost or wrong';
  if (change === undefined) return undefined;
  switch (change.kind) {
    case 'lost':
      return `${plural(change.thing)} were lost`;
    case 'extra':
      return `${plural(change.thing)} were made up`;
    case 'part':
      return `${plural(change.thing)} came with wrong ${change.part}`;
    case 'text':
      return { cut: 'texts break off', longer: 'texts go on after their end', other: 'texts are wrong' }[change.how];
    case 'outcome':
      return change.success
        ? 'the client reported success where calls have failed'
        : 'the client failed where calls have succeeded';
    case 'requests':
      return `the client sent ${change.how} requests than allowed`;
    default:
      return changeText(change, values);
  }
}
