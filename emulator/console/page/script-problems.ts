import { jsonPlaces } from './json-places.js';

/** A problem of a script, with its line. */
export interface ScriptProblem {
  line: number;
  message: string;
}

/** Where a text is not JSON; nothing if it is. */
export function syntaxProblems(text: string): ScriptProblem[] {
  const { error } = jsonPlaces(text);
  return error ? [error] : [];
}

/**
 * The problems that the emulator reported, at their lines. A message is `NAME: path: what; path: what`, with paths such
 * as `turn[3].say`.
 */
export function reportedProblems(text: string, message: string): ScriptProblem[] {
  const places = jsonPlaces(text);
  if (places.error) return [places.error];
  const problems = message
    .replace(/^matches: /, '')
    .replace(/^[A-Za-z0-9][A-Za-z0-9._-]*: (?=[a-zA-Z_$][\w$.[\]]*(?: script)?: )/, '');
  // A message may hold the separator itself: the next problem begins with its path.
  return problems.split(/; (?=(?:the script|[\w$-]+(?:[.[][\w$.[\]-]*)?): )/).map((problem) => {
    const path = /^([\w$.[\]-]+): /.exec(problem)?.[1] ?? '';
    return { line: places.lineOf(path), message: problem };
  });
}
