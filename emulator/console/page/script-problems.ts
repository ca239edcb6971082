import { jsonPlaces } from '../../contract/json.js';

export interface ScriptProblem {
  line: number;
  message: string;
}

/**
 * The problems of a text: where it is not JSON, else those that the emulator reported, at their lines. Its message is
 * `NAME: path: what; path: what`, with paths such as `turn[3].say`.
 */
export function problemsOf(text: string, reported = ''): ScriptProblem[] {
  const places = jsonPlaces(text);
  if (typeof places !== 'function') {
    const { line, expected, found } = places;
    return [{ line, message: `expected ${expected}, found ${found}` }];
  }
  if (reported === '') return [];
  const problems = reported
    .replace(/^matches: /, '')
    .replace(/^[A-Za-z0-9][A-Za-z0-9._-]*: (?=[a-zA-Z_$][\w$.[\]]*(?: script)?: )/, '');
  // A message may hold the separator itself: the next problem begins with its path.
  return problems.split(/; (?=(?:the script|[\w$-]+(?:[.[][\w$.[\]-]*)?): )/).map((message) => {
    const path = /^([\w$.[\]-]+): /.exec(message)?.[1] ?? '';
    return { line: places(path), message };
  });
}
