import { stripVTControlCharacters } from 'node:util';

/** Why a command failed, as far as it or its test runner says. */
export interface Why {
  readonly message: string;
  /** An assertion of the test, or its limit; or an error of the app itself. */
  readonly by: 'app' | 'test';
}

/** The longest message, in characters. */
const MOST = 2_000;

const ASSERTION = /^\s*(?:\w*AssertionError\b|assert\b|expect\()|ERR_ASSERTION|\bexpected: .*\n\s*actual: /m;
/** Limits of vitest, jest, mocha, node:test, go test and pytest-timeout. */
const LATE =
  /Test timed out in \d+ ?ms|Exceeded timeout of \d+ ?ms|Timeout of \d+ ?ms exceeded|test timed out after|Failed: Timeout [>(]/;

/** Lines that say nothing of an error: places, Node's own report of it, summaries of test runners. */
const NOISE =
  /^(?:at |node:|file:\/\/|Node\.js v|\^+$|[{}[\](),;]*$|throw |npm (?:ERR|error|warn|notice)|ℹ |FAILED \(|=+)/;
/** A line at which what is said of an error is over. */
const OVER = /^\s*(?:at .|❯ |⎯|File "|Node\.js v|\d+ \||>? *\d+ *\||✖ |# |\d+\) |Test Suites: )/;

const trimmed = (lines: readonly string[]): string => {
  const shown = lines.filter((line, at) => line.trim() !== '' || (at > 0 && lines[at - 1]?.trim() !== ''));
  const margin = Math.min(...shown.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)));
  return shown
    .map((line) => line.slice(margin).trimEnd())
    .join('\n')
    .trim();
};

/** The lines from one on, until what is said there is over. */
function from(lines: readonly string[], begin: number): string | undefined {
  if (begin < 0) return undefined;
  const rest = lines.slice(begin);
  const end = rest.findIndex((line, at) => at > 0 && OVER.test(line));
  return trimmed(rest.slice(0, end < 0 ? 30 : Math.min(end, 30))) || undefined;
}

/** pytest marks what failed with `E`. */
function pytest(lines: readonly string[]): string | undefined {
  const begin = lines.findIndex((line) => /^E {2,}\S/.test(line));
  const rest = begin < 0 ? [] : lines.slice(begin);
  const end = rest.findIndex((line) => !/^E(?: |$)/.test(line));
  return begin < 0 ? undefined : trimmed(rest.slice(0, end < 0 ? undefined : end).map((line) => line.slice(1)));
}

/** TAP: the innermost `not ok`, with what it says in YAML. */
function tap(lines: readonly string[]): string | undefined {
  for (const [at, line] of lines.entries()) {
    if (!/^\s*not ok \d/.test(line)) continue;
    const yaml = lines.slice(at + 1, at + 80);
    const end = yaml.findIndex((one) => one.trim() === '...');
    const text = yaml.slice(0, end < 0 ? undefined : end);
    if (text.some((one) => /failureType: '?subtestsFailed/.test(one))) continue;
    const value = (key: string): string | undefined => {
      const begin = text.findIndex((one) => one.trim().startsWith(`${key}: `));
      const said = text[begin]?.trim().slice(key.length + 2) ?? '';
      if (begin < 0) return undefined;
      if (!/^[|>]/.test(said)) return said.replace(/^(['"])(.*)\1$/, '$2');
      const margin = text[begin + 1]?.search(/\S/) ?? 0;
      const more = text.slice(begin + 1);
      const over = more.findIndex((one) => one.trim() !== '' && one.search(/\S/) < margin);
      return trimmed(more.slice(0, over < 0 ? undefined : over));
    };
    const error = value('error');
    if (error === undefined) continue;
    const name = value('name') ?? (value('code') === 'ERR_ASSERTION' ? 'AssertionError' : undefined);
    const both = ['expected', 'actual'].flatMap((key) => (value(key) === undefined ? [] : [`${key}: ${value(key)}`]));
    return [name === undefined ? error : `${name}: ${error}`, ...both].join('\n');
  }
  return undefined;
}

/** The spec reporter of node:test lists the tests that failed at its end, each with its error below its name. */
function spec(lines: readonly string[]): string | undefined {
  const listed = lines.findIndex((line) => line.trim() === '✖ failing tests:');
  const begin = lines.findIndex((line, at) => listed >= 0 && at > listed && /^\s*✖ .* \([\d.]+ms\)$/.test(line));
  return begin < 0 ? undefined : from(['', ...lines.slice(begin + 1)], 0)?.replace(/^'(.*)'$/, '$1');
}

/** jest names a test after a bullet, and says below what failed. */
function jest(lines: readonly string[]): string | undefined {
  const begin = lines.findIndex((line) => /^\s*● (?!Console)/.test(line));
  return begin < 0 ? undefined : from(['', ...lines.slice(begin + 1)], 0);
}

/** go test: what stands below the test that failed, or what it panicked with. */
function go(lines: readonly string[]): string | undefined {
  const panic = lines.find((line) => /^panic: /.test(line));
  const begin = lines.findIndex((line) => /^\s*--- FAIL: /.test(line));
  const said = lines.slice(begin + 1).find((line) => /^\s+\S+\.go:\d+: /.test(line));
  return panic ?? (begin < 0 ? undefined : said?.trim().replace(/^\S+\.go:\d+: /, ''));
}

const ERROR = /^\s*(?:\d+\) )?\[?(?:Uncaught )?[\w.]*(?:Error|Exception|Timeout|Failure)\b(?:: | \[|$)/;

/** An error as Node, vitest and mocha show it: the first. Of chained ones Python shows the one that ended it last. */
function thrown(lines: readonly string[]): string | undefined {
  const python = lines.some((line) => line.startsWith('Traceback (most recent call last)'));
  const at = python ? lines.findLastIndex((line) => ERROR.test(line)) : lines.findIndex((line) => ERROR.test(line));
  // Node shows an error without a stack in brackets: `[TypeError: fetch failed] {`.
  return from(lines, at)?.replace(/^\[(.*)\](?: \{)?$/m, '$1');
}

/** The last line that tells of an error. */
const tells = (lines: readonly string[]): string | undefined =>
  lines.map((line) => line.trim()).findLast((line) => !NOISE.test(line) && /error|expected|failed/i.test(line));

/** Of standard error the last line says something, too. */
const lastWords = (lines: readonly string[]): string | undefined =>
  tells(lines) ?? lines.map((line) => line.trim()).findLast((line) => line !== '' && !NOISE.test(line));

/** Why a command failed, from what it wrote: as TAP, vitest, jest, mocha, pytest and go test say it, or as its own error. */
export function whyOf(stdout: string, stderr: string): Why | undefined {
  const [out, err] = [stdout, stderr].map((text) => stripVTControlCharacters(text).split('\n'));
  const both = [err ?? [], out ?? []];
  const first = (reads: (lines: readonly string[]) => string | undefined) =>
    both.map(reads).find((text) => text !== undefined && text !== '');
  const message =
    first(pytest) ??
    first(tap) ??
    first(jest) ??
    first(thrown) ??
    first(spec) ??
    first(go) ??
    lastWords(err ?? []) ??
    tells(out ?? []);
  if (message === undefined) return undefined;
  return {
    message: message.slice(0, MOST),
    by: ASSERTION.test(message) || LATE.test(message) ? 'test' : 'app',
  };
}
