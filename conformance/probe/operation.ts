import type { Exchange } from './exchange.js';
import { jsonOf } from './json.js';
import { ANSWER, internIn, isAnswer } from './request.js';

/**
 * A request as the interface names it: no address, no query, no id; an answer to a question separate from other
 * prompts.
 */
export function operationOf({ request: { method, url, body } }: Exchange): string {
  if (isAnswer(jsonOf(body ?? ''))) return ANSWER;
  const id = internIn(url);
  const path = url.replace(/^.*?\/api\/v\d+(?=\/)/, '').replace(/[?#].*$/s, '');
  return `${method} ${id === undefined ? path : path.replace(id, '{internId}')}`;
}

/** The credential that a request was sent with, by its name: evidence has no other. */
export const senderOf = ({ request }: Exchange): string | undefined =>
  /\[(\w+)\]/.exec(request.headers.authorization ?? '')?.[1];

/** The body of an answer, as far as the evidence has it. */
export const bodyOf = ({ response }: Exchange): string => response?.pieces.map(({ text }) => text).join('') ?? '';
