/** Levels of nested objects and arrays that the kit reads: deeper ones could overflow the stack. */
export const MAX_DEPTH = 1_000;

/** JSON that is nested deeper than {@link MAX_DEPTH}. */
export class TooDeep extends SyntaxError {
  override readonly name = 'TooDeep';
  constructor() {
    super(`JSON of more than ${MAX_DEPTH} levels`);
  }
}

/** Whether a JSON text is nested too deep. Looks at brackets alone, one after another. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // " [ { ] }
    if (code === 0x22) {
      for (at++; at < text.length && text.charCodeAt(at) !== 0x22; at++) if (text.charCodeAt(at) === 0x5c) at++;
    } else if (code === 0x5b || code === 0x7b) {
      if (++depth > MAX_DEPTH) return true;
    } else if (code === 0x5d || code === 0x7d) depth--;
  }
  return false;
}

/**
 * The value of a JSON text of a target.
 *
 * @throws TooDeep, SyntaxError
 */
export function parseJson(text: string): unknown {
  if (text.length > 2 * MAX_DEPTH && isTooDeep(text)) throw new TooDeep();
  return JSON.parse(text);
}

/** The value of a JSON text of a target; undefined where it is none, or nested too deep. */
export function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Whether a value is a JSON object. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
