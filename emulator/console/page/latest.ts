/**
 * For reads that may overtake each other: of several under way only the answer to the last one is shown, since an earlier
 * answer that comes late would put back what is no longer so. Called at the start of each; what it returns says, once the
 * answer is there, whether it is still the last.
 */
export function createLatest(): () => () => boolean {
  let asked = 0;
  return () => {
    asked += 1;
    const mine = asked;
    return () => mine === asked;
  };
}
