/** Where a text stops being JSON, or where in it a path of keys and indices leads. Lines count from 1. */
export type Places = { error: { line: number; message: string } } | { error: undefined; lineOf(path: string): number };

/**
 * Reads JSON for the places of its values. Paths are in the emulator's form: `turn[3].then[0].say`; the line of an
 * unknown path is the line of the nearest known one above it.
 */
export function jsonPlaces(text: string): Places {
  const lines = new Map<string, number>();
  let at = 0;
  let line = 1;
  class Stop extends Error {}
  const stop = (message: string): never => {
    throw new Stop(message);
  };
  const space = () => {
    for (; at < text.length && /\s/.test(text.charAt(at)); at++) if (text[at] === '\n') line++;
  };
  const found = () => (at >= text.length ? 'the end of the text' : JSON.stringify(text.charAt(at)));
  const token = (pattern: RegExp, expected: string): string => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) return stop(`expected ${expected}, found ${found()}`);
    at += match[0].length;
    return match[0];
  };
  const string = (expected: string): string => {
    const raw = token(/"(?:[^"\\\n]|\\.)*"/y, expected);
    try {
      return JSON.parse(raw) as string;
    } catch {
      return stop('a text with a character that must be escaped');
    }
  };
  const members = (close: string, read: (index: number) => void) => {
    at++;
    space();
    if (text[at] === close) return void at++;
    for (let index = 0; ; index++) {
      space();
      read(index);
      space();
      if (text[at] === close) return void at++;
      if (text[at] !== ',') stop(`expected a comma or ${close}, found ${found()}`);
      at++;
    }
  };
  const value = (path: string) => {
    space();
    if (!lines.has(path)) lines.set(path, line);
    const first = text[at];
    if (first === '{')
      members('}', () => {
        const starts = line;
        const key = string('a name in double quotes');
        const inner = path === '' ? key : `${path}.${key}`;
        lines.set(inner, starts);
        space();
        if (text[at] !== ':') stop(`expected a colon, found ${found()}`);
        at++;
        value(inner);
      });
    else if (first === '[') members(']', (index) => value(`${path}[${index}]`));
    else if (first === '"') string('a text');
    else token(/(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/y, 'a value');
  };
  try {
    value('');
    space();
    if (at < text.length) stop(`expected nothing more, found ${found()}`);
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return { error: { line, message: error.message } };
  }
  return {
    error: undefined,
    lineOf(path) {
      for (let upper = path; upper !== ''; upper = upper.replace(/(?:\.?[^.[\]]+|\[\d+\])$/, '')) {
        const there = lines.get(upper);
        if (there !== undefined) return there;
      }
      return 1;
    },
  };
}
