import type { Found, Rule } from '../framework/finding.js';

/** Values that differ between two looks at the same thing: ids, the kit's names, times, long numbers. */
const VALUE =
  /\/interns\/[^/?\s]+|[0-9a-f]{8}-[0-9a-f-]{27}|\bk[a-z0-9]{4}-[a-z0-9]+|\d{4}-\d\d-\d\dT[\d:.]+Z|\b\d{5,}\b/gi;
const masked = (text: string): string => text.replace(VALUE, '…');

/** A rule without the values that it names: those may be drawn anew. */
const fixed = (rule: Rule): string => {
  if (rule.kind === 'form') return rule.form;
  return rule.kind === 'holds' ? rule.words : rule.kind;
};

/** The text that two looks share if they found the same. */
export function likeness({ wanted, of }: Found): string {
  switch (wanted.kind) {
    case 'status':
      return JSON.stringify([wanted, masked(of)]);
    case 'value':
      return masked(JSON.stringify(['value', fixed(wanted.rule), of]));
    default:
      return masked(JSON.stringify([wanted, of]));
  }
}

/** Whether two looks of one check found the same: the same was wanted, of the same thing. What came instead may differ. */
export const isSame = (one: Found, other: Found): boolean => likeness(one) === likeness(other);
