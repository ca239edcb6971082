import { answerOf, type Found, noAnswerOf, type OrderGot } from '../framework/finding.js';

/** What differs between values that say the same: ids, times, numbers. */
const VALUE = /[0-9a-f]{8}-[0-9a-f-]{27}|\bk[a-z0-9]{4}-[a-z0-9]+|\b\d{5,}\b/gi;
const masked = (value: unknown): string => (JSON.stringify(value) ?? 'undefined').replace(VALUE, '…');

/** The same for findings of different checks that found the same. */
export function likeness(found: Found): string {
  const { wanted, got, of } = found;
  const answer = answerOf(found);
  if (answer !== undefined) {
    const which = wanted.kind === 'status' && wanted.statuses.length > 0 ? '' : of;
    return JSON.stringify([wanted, which, answer.status, answer.reason]);
  }
  if (wanted.kind === 'stream' && wanted.rule === 'order')
    return JSON.stringify([wanted, (got as OrderGot).breaches[0]?.rule]);
  return `${JSON.stringify(wanted)} ${noAnswerOf(found)?.kind ?? masked(got)}`;
}

/** The same for findings of one check that look at the same. */
export const placeOf = ({ wanted, of }: Found): string => `${wanted.kind} ${masked(of)}`;
