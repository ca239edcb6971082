import { spelled } from './aliases.js';
import { piecesOf } from './template.js';

const ALIAS = String.raw`\$(?:[a-z_]|\{[a-z_])`;
/** Whether two aliases may be adjacent: then the text is read. */
const MAY = new RegExp(String.raw`${ALIAS}[a-z_]*(?:\.\d+)?\}?${ALIAS}`);

/**
 * A recorded text without directly adjacent aliases: in a request, nobody could say where the first one ends. The first
 * of adjacent aliases stays, for all of them.
 */
export function apart(text: string): string {
  if (!MAY.test(text)) return text;
  const pieces = piecesOf(text).filter((piece, at, all) => {
    const before = all[at - 1];
    return !('alias' in piece && before !== undefined && 'alias' in before);
  });
  let written = '';
  for (const piece of pieces.reverse()) {
    if ('text' in piece) written = piece.text.replaceAll('$', '$$$$') + written;
    else written = spelled(`$${piece.alias}`, written.slice(0, 2)) + written;
  }
  return written;
}
