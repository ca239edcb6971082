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

/** Reads the text once more, slowly, up to the error. Only called on text that JSON.parse refused. */
function locate(text: string): JsonSyntaxError | undefined {
  let at = 0;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const matched = pattern.test(text);
    if (matched) at = pattern.lastIndex;
    return matched;
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
    const before = text.slice(0, at);
    const line = before.split('\n').length;
    const found = at >= text.length ? 'the end' : JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0));
    return new JsonSyntaxError(line, at - before.lastIndexOf('\n'), expected, found);
  };
  /**
   * The brackets that are open at the current place. The stack is our own, so that deep text cannot exhaust the real
   * one.
   */
  const open: ('{' | '[')[] = [];
  let wants: 'value' | 'first element' | 'first key' | 'key' | 'rest' = 'value';
  for (;;) {
    take(SPACE);
    if (wants === 'first element' && char(']')) {
      open.pop();
      wants = 'rest';
    } else if (wants === 'first key' && char('}')) {
      open.pop();
      wants = 'rest';
    } else if (wants === 'value' || wants === 'first element') {
      if (char('{')) {
        open.push('{');
        wants = 'first key';
      } else if (char('[')) {
        open.push('[');
        wants = 'first element';
      } else if (string() || take(SCALAR)) {
        wants = 'rest';
      } else {
        return fail(wants === 'value' ? 'a value' : 'a value or "]"');
      }
    } else if (wants === 'key' || wants === 'first key') {
      if (!string()) return fail(wants === 'key' ? 'a key in double quotes' : 'a key in double quotes or "}"');
      take(SPACE);
      if (!char(':')) return fail('":"');
      wants = 'value';
    } else {
      const around = open.at(-1);
      if (around === undefined) return at < text.length ? fail('the end') : undefined;
      if (char(',')) wants = around === '{' ? 'key' : 'value';
      else if (char(around === '{' ? '}' : ']')) open.pop();
      else return fail(around === '{' ? '"," or "}"' : '"," or "]"');
    }
  }
}
