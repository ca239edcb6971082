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

/** Whether a text has one of two brackets often enough for so many levels. */
function hasMany(text: string, bracket: string): boolean {
  let at = -1;
  for (let count = 0; count <= MAX_NESTING / 2; count++) {
    at = text.indexOf(bracket, at + 1);
    if (at < 0) return false;
  }
  return true;
}

/** Whether a JSON text has more than {@link MAX_NESTING} levels. Each takes a bracket that opens, and one that closes. */
export const isTooDeep = (json: string): boolean =>
  json.length > 2 * MAX_NESTING && (hasMany(json, '{') || hasMany(json, '[')) && nestingOf(json) > MAX_NESTING;

/** The value of a JSON text; undefined if it is not JSON, or too deep: such a body counts as text. */
export function jsonOf(text: string): unknown {
  try {
    return isTooDeep(text) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
