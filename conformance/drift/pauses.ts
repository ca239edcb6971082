/** ms between two reads of what time can change, at first and at most. */
const FIRST = 500;
const LONGEST = 4_000;

/** How long to wait before each further look, less and less often, `limit` ms in all. */
export function* pauses(limit: number): Generator<number> {
  let pause = FIRST;
  for (let waited = 0; waited < limit; waited += pause) {
    if (waited > 0) pause = Math.min(2 * pause, LONGEST);
    yield pause;
  }
}
