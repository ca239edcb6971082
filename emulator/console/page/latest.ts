/**
 * For reads that may overtake each other: only the answer to the last one is shown, since a late answer to an earlier
 * one would restore old data. Call it at the start of each read; the result says, once the answer is there, whether
 * that read is still the last.
 */
export function createLatest(): () => () => boolean {
  let asked = 0;
  return () => {
    asked += 1;
    const mine = asked;
    return () => mine === asked;
  };
}
