/**
 * Headers under which a browser neither guesses the type of an answer nor runs anything in it: shown as a document, it
 * is in an origin of its own, without scripts, forms or subresources.
 */
export const INERT_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
} as const;

/**
 * Makes an answer inert, whatever its headers said of these two. For every answer whose text comes from outside: from a
 * recording, a script, a client. The listeners do this for every answer that does not set its own policy, as the
 * console does.
 */
export function makeInert(headers: Pick<Headers, 'set'>): void {
  for (const [name, value] of Object.entries(INERT_HEADERS)) headers.set(name, value);
}
