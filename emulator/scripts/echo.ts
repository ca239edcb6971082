import { codePoints } from '../contract/intern.js';
import type { Behaviour } from './behaviour.js';

/** About how many tokens a text has: a token for every four characters begun. */
const tokens = (text: string): number => Math.ceil(codePoints(text) / 4);

/** What an intern does when nothing else was asked of it: it repeats the prompt, and reports usage. */
export const echo: Behaviour = {
  name: 'echo',
  async *turn({ prompt }) {
    yield { say: prompt };
    const count = tokens(prompt);
    yield { usage: { prompt_tokens: count, completion_tokens: count, total_tokens: 2 * count } };
  },
};
