import { codePoints } from '../contract/intern.js';
import type { Behaviour } from './behaviour.js';

/** About how many tokens a text has: one for every four characters or part of them. */
const tokens = (text: string): number => Math.ceil(codePoints(text) / 4);

/** The default behaviour of an intern: it repeats the prompt, and reports usage. */
export const echo: Behaviour = {
  name: 'echo',
  description: 'Repeats the prompt, with usage',
  async *turn({ prompt }) {
    yield { say: prompt };
    const count = tokens(prompt);
    yield { usage: { prompt_tokens: count, completion_tokens: count, total_tokens: 2 * count } };
  },
};
