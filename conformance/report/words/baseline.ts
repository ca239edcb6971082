import type { KnownAs } from '../../run/results.js';

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
