// A defect for the fuzzers' own test: the reader of lines crashes at an unknown alias.
const split = String.prototype.split as (this: string, ...given: unknown[]) => string[];
String.prototype.split = function (this: string, ...given: unknown[]) {
  if (given[0] === '\n' && this.includes('$nonsense')) throw new TypeError('planted');
  return split.apply(this, given);
};
