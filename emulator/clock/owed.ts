/** The longest that a timer of Node waits, in ms. */
const LONGEST = 2 ** 31 - 1;

/**
 * Keeps the process alive until a promise has settled. Work that is under way may wait by timers and sockets that do not:
 * Node would end with status 13, and without an answer.
 */
export async function owed<T>(answer: Promise<T>): Promise<T> {
  const alive = setInterval(() => {}, LONGEST);
  try {
    return await answer;
  } finally {
    clearInterval(alive);
  }
}
