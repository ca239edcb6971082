const encoder = new TextEncoder();

/** Texts that are their own JSON: printable ASCII without quote and backslash. Most texts are. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/**
 * A comment line that keeps a silent stream alive (CHAT-11), as its own block, so that it fits between any two events.
 */
export const KEEPALIVE = ': keepalive\n\n';

/** The event that ends every stream (CHAT-3). */
export const DONE = 'data: [DONE]\n\n';

/**
 * A value as JSON that survives every reader of lines. JSON escapes line feeds and lone surrogates by itself. The
 * separators that some clients also read as the end of a line are escaped here.
 */
export function lineJson(value: unknown): string {
  if (typeof value === 'string' && PLAIN.test(value)) return `"${value}"`;
  const json = JSON.stringify(value);
  return /[\u0085\u2028\u2029]/.test(json)
    ? json.replace(/[\u0085\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : json;
}

/** Several texts, each as its {@link lineJson} without the quotes. Texts that are said together are checked at once. */
export const linesJson = (texts: readonly string[]): readonly string[] =>
  PLAIN.test(texts.join('')) ? texts : texts.map((text) => lineJson(text).slice(1, -1));

export const bytesOf = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text);
