import { counted } from '../../../emulator/contract/counted.js';
import { isFailure } from '../../run/baseline.js';
import type { CheckResult, KnownAs, Results } from '../../run/results.js';
import { headlineOf } from './coverage.js';

/** The line above findings that say something else, and follow from the first one as far as the kit can know. */
export const LIKELY = 'likely the same cause';

/** The ids of checks in one line. */
export const idsOf = (checks: readonly CheckResult[]): string => checks.map(({ id }) => id).join(', ');

/** A note on a run in which the intern asked nothing, or no permission; undefined if it asked both. */
export function unseen({ coverage }: Results): string | undefined {
  const own = 'A prompt of your own may lead it there: prompts in a config file.';
  if (coverage.noQuestionSeen)
    return `The intern asked nothing in this run: how questions are asked and answered was not seen, nor whether approval_mode manual makes it ask (CHAT-8). ${own}`;
  if (coverage.noPermissionSeen === true)
    return `The intern asked for no permission in this run, although prompts under approval_mode manual named its shell: whether manual makes it ask (CHAT-8) was not judged. ${own}`;
  return undefined;
}

/** The inputs of a run, if they decide anything: recordings have neither seed nor properties. */
export function choices({ options, target }: Results): string {
  if (options.seed === '') return '';
  return `, seed ${options.seed}${target.kind === 'client' ? '' : `, ${counted(options.runs, 'run')} per property`}`;
}

const sum = <Row>(rows: readonly Row[], of: (row: Row) => number): number =>
  rows.reduce((total, row) => total + of(row), 0);

/** The name of the target; an emulator in this process has no address that anybody could reach. */
export const addressText = ({ url, inProcess }: Results['target']): string =>
  inProcess === true ? 'an emulator in this process' : url;

/** The target with its kind. */
export const targetText = (target: Results['target']): string => {
  const { kind, profile } = target;
  return `${addressText(target)} (${kind}${kind === 'client' ? '' : `, profile ${profile}`})`;
};

/** The counts of a run, and its target, in one line. */
export function sumText(results: Results): string {
  const { checked, counts, of, not } = headlineOf(results);
  const { pass, fail, warn, skip, error, known, 'pass-alternative': alternative } = counts;
  const reasons = not.map(({ count, why }) => `${count} ${why}`).join(', ');
  const covered =
    checked === of ? `all ${of} checked` : `${checked} of ${of} checked, ${of - checked} not (${reasons})`;
  const parts = [`${pass} pass`];
  if (alternative > 0) parts.push(`${alternative} pass-alternative`);
  parts.push(`${fail} fail`, `${warn} warn`, `${skip} skip`, `${error} error`);
  if (known > 0) parts.push(`${known} known`);
  const flaky = results.checks.flatMap(({ knownAs }) => knownAs?.flaky ?? []);
  if (flaky.length > 0)
    parts.push(`flaky: failed ${sum(flaky, ({ failed }) => failed)} of ${sum(flaky, ({ of: tried }) => tried)}`);
  const fresh = results.checks.filter((check) => check.new === true);
  const failing = fresh.filter((check) => isFailure(check, results.options.failOn)).length;
  if (fresh.length > 0) parts.push(`${fresh.length} new${failing === 0 ? '' : ` (${failing} failing)`}`);
  return `${covered}  ${parts.join(', ')}  ${targetText(results.target)}`;
}

/** One line: the verdict and the counts. */
export const summary = (results: Results): string => `${headlineOf(results).verdict}: ${sumText(results)}`;

/** The entry of a baseline for a result: `flaky, failed 1 of 1, fixed in 2.4 (https://…), until 2026-12-31`. */
export function knownText({ expired, expires, flaky, link, reason }: KnownAs): string {
  const until = expires === undefined ? [] : [expired === true ? `expired on ${expires}` : `until ${expires}`];
  const why = [reason, link === undefined ? undefined : reason === undefined ? link : `(${link})`]
    .filter((part) => part !== undefined)
    .join(' ');
  const parts = [
    ...(flaky === undefined ? [] : [`flaky, failed ${flaky.failed} of ${flaky.of}`]),
    ...(why === '' ? [] : [why]),
    ...until,
  ];
  return parts.length === 0 ? 'in the baseline' : parts.join(', ');
}
