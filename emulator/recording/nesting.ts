/** Levels of arrays and objects within one another that a recorded body may have as JSON. */
export const MAX_NESTING = 1_000;

/** How many levels of arrays and objects stand within one another in a JSON text. It calls nothing for a level. */
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
 * The value of a JSON text; undefined where it is no JSON, or so deep that a walk through it would run out of stack: such a
 * body counts as text.
 */
export function jsonOf(text: string): unknown {
  try {
    return nestingOf(text) > MAX_NESTING ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
