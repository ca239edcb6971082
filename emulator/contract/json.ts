/** Text that should be JSON and is not, with the place of the error. Lines and columns count from 1. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
  constructor(
    readonly line: number,
    readonly column: number,
    /** The text that would have been right there: `a value`, `"," or "}"`. */
    readonly expected: string,
    /** The text that is there instead. */
    readonly found: string,
  ) {
    super(`line ${line}, column ${column}: expected ${expected}, found ${found}`);
  }
}

/** `JSON.parse`, with an error that names the place on every version of Node. It skips a byte order mark. */
export function parseJson(text: string): unknown {
  const body = text.startsWith('\ufeff') ? text.slice(1) : text;
  try {
    return JSON.parse(body);
  } catch (error) {
    throw locate(body) ?? error;
  }
}

const SPACE = /[ \t\n\r]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these within a string
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;

/**
 * Where the values of a JSON text are: gives the line of the value at a path such as `turn[3].say`, or of the nearest one
 * above it. Of a text that is not JSON, the first error.
 */
export function jsonPlaces(text: string): JsonSyntaxError | ((path: string) => number) {
  const lines = new Map<string, number>();
  const error = locate(text, (path, line) => lines.has(path) || lines.set(path, line));
  return (
    error ??
    ((path) => {
      for (let upper = path; upper !== ''; upper = upper.replace(/(?:\.?[^.[\]]+|\[\d+\])$/, '')) {
        const line = lines.get(upper);
        if (line !== undefined) return line;
      }
      return 1;
    })
  );
}

/** Something that is open at the current place: where it is, how it closes, and which entry of a list comes next. */
interface Open {
  readonly path: string;
  readonly close: '}' | ']';
  entry: number;
}

/** Reads a text slowly up to its first error, and tells of each value on the way. */
function locate(text: string, found: (path: string, line: number) => void = () => {}): JsonSyntaxError | undefined {
  let at = 0;
  let line = 1;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const matched = pattern.test(text);
    if (matched) at = pattern.lastIndex;
    return matched;
  };
  const space = () => {
    const start = at;
    take(SPACE);
    for (let index = start; index < at; index++) if (text[index] === '\n') line++;
  };
  const char = (wanted: string): boolean => {
    if (text[at] !== wanted) return false;
    at++;
    return true;
  };
  // In steps, because one pattern for a whole string overflows the stack on a long one.
  const string = (): boolean => {
    const start = at;
    if (!char('"')) return false;
    do take(PLAIN);
    while (take(ESCAPE));
    if (char('"')) return true;
    at = start;
    return false;
  };
  const fail = (expected: string) => {
    const column = at - text.slice(0, at).lastIndexOf('\n');
    const there = at >= text.length ? 'the end' : JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0));
    return new JsonSyntaxError(line, column, expected, there);
  };
  // A stack of our own, so that deep text cannot exhaust the real one.
  const open: Open[] = [];
  let path = '';
  let wants: 'value' | 'first' | 'key' | 'rest' = 'value';
  for (;;) {
    space();
    const around = open.at(-1);
    const first = wants === 'first';
    if (first && around && char(around.close)) {
      open.pop();
      wants = 'rest';
    } else if (wants === 'value' || (first && around?.close === ']')) {
      if (around?.close === ']') path = `${around.path}[${around.entry++}]`;
      found(path, line);
      if (char('{')) open.push({ path, close: '}', entry: 0 });
      else if (char('[')) open.push({ path, close: ']', entry: 0 });
      else if (!string() && !take(SCALAR)) return fail(first ? 'a value or "]"' : 'a value');
      wants = open.at(-1) === around ? 'rest' : 'first';
    } else if (around && wants !== 'rest') {
      const start = at;
      if (!string()) return fail(first ? 'a key in double quotes or "}"' : 'a key in double quotes');
      const key: unknown = JSON.parse(text.slice(start, at));
      path = around.path === '' ? String(key) : `${around.path}.${key}`;
      found(path, line);
      space();
      if (!char(':')) return fail('":"');
      wants = 'value';
    } else if (around === undefined) return at < text.length ? fail('the end') : undefined;
    else if (char(',')) wants = around.close === '}' ? 'key' : 'value';
    else if (char(around.close)) open.pop();
    else return fail(`"," or "${around.close}"`);
  }
}
