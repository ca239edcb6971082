/** A text without what differs from run to run: words with digits (ports, ids, times), and colours. */

import { stripVTControlCharacters } from 'node:util';

export const alike = (text: string): string => stripVTControlCharacters(text).replace(/[\w-]*\d[\w-]*/g, '#');

/** The kind of a message: without what it quotes, or says it got, which is what came, in whatever pieces. */
export const sortOf = (message: string): string =>
  alike(
    message
      .replace(/"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|`[^`\n]*`|…/g, '…')
      .replace(/\b(got|received|found|actual)\b:? .*/gi, '$1 …'),
  )
    .replace(/\s+/g, ' ')
    .slice(0, 200);
