/** How many levels of arrays and objects are read of JSON that others wrote: deeper ones could overflow the stack. */
export const MAX_NESTING = 1_000;

/** How many levels of arrays and objects a JSON text has. It does not recurse. */
export function nestingOf(json: string): number {
  let deepest = 0;
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    // " [ { ] }
    if (code === 0x22) {
      for (at++; at < json.length && json.charCodeAt(at) !== 0x22; at++) if (json.charCodeAt(at) === 0x5c) at++;
    } else if (code === 0x5b || code === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (code === 0x5d || code === 0x7d) depth--;
  }
  return deepest;
}

/** Whether a JSON text has more than {@link MAX_NESTING} levels. Each takes two characters of what is JSON. */
export const isTooDeep = (json: string): boolean => json.length > 2 * MAX_NESTING && nestingOf(json) > MAX_NESTING;

/** The value of a JSON text; undefined if it is not JSON, or too deep: such a body counts as text. */
export function jsonOf(text: string): unknown {
  try {
    return isTooDeep(text) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
