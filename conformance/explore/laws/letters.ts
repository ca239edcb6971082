import type { Seen, Wrong } from '../types.js';

/** Disturbances that leave the words of a reply as they are, and send them in no fewer pieces. */
const SAME_WORDS: ReadonlySet<string> = new Set(['split', 'comments', 'unknown-events', 'crlf', 'held-open']);

/** How many of the lost letters are named. */
const NAMED = 10;

const lettersIn = (text: string): string[] => text.match(/\p{L}/gu) ?? [];

/** Letters that the program prints undisturbed, and no more where the same words came in another form. Their order may differ. */
export function losesLetters(seen: Seen, straight: Seen, plain: (text: string) => string): Wrong | undefined {
  const met = seen.requests.find(({ disturbed = '' }) => SAME_WORDS.has(disturbed));
  if (met === undefined) return undefined;
  const printed = new Map<string, number>();
  for (const letter of lettersIn(plain(seen.stdout))) printed.set(letter, (printed.get(letter) ?? 0) + 1);
  const lost = lettersIn(plain(straight.stdout)).filter((letter) => {
    const left = printed.get(letter) ?? 0;
    printed.set(letter, left - 1);
    return left < 1;
  });
  if (lost.length === 0) return undefined;
  const letters = [...new Set(lost)].slice(0, NAMED).join(' ');
  return {
    message: `it printed the reply without letters of it: ${letters}`,
    request: met.operation,
    did: 'loses letters',
  };
}
