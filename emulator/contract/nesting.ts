/** How many levels of arrays and objects a recorded body may have as JSON. */
export const MAX_NESTING = 1_000;

/** How many levels of arrays and objects a JSON text has. It does not recurse. */
export function nestingOf(json: string): number {
  let deepest = 0;
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (quoted) {
      if (character === '\\') at++;
      else quoted = character !== '"';
    } else if (character === '"') quoted = true;
    else if (character === '[' || character === '{') deepest = Math.max(deepest, ++depth);
    else if (character === ']' || character === '}') depth--;
  }
  return deepest;
}

/**
 * The value of a JSON text; undefined if it is not JSON, or so deep that a recursive walk would overflow the stack:
 * such a body counts as text.
 */
export function jsonOf(text: string): unknown {
  try {
    return nestingOf(text) > MAX_NESTING ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
