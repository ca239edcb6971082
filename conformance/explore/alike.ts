import { stripVTControlCharacters } from 'node:util';

const DIGITS = /[\w-]*\d[\w-]*/g;
const STATUS = /^[45]\d\d$/;

/** A text without what differs from run to run: words with digits (ports, ids, times), and colours. */
export const alike = (text: string): string => stripVTControlCharacters(text).replace(DIGITS, '#');

/** The same, but for statuses: they say what was answered. */
export const alikeButStatus = (text: string): string =>
  stripVTControlCharacters(text).replace(DIGITS, (word) => (STATUS.test(word) ? word : '#'));

/** The kind of a message: without what it quotes, or says it got, which is what came, in whatever pieces. */
export const sortOf = (message: string): string =>
  alike(
    message
      .replace(/"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|`[^`\n]*`|…/g, '…')
      .replace(/\b(got|received|found|actual)\b:? .*/gi, '$1 …'),
  )
    .replace(/\s+/g, ' ')
    .slice(0, 200);
