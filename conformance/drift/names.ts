/** The names that a run gives interns, in place of recorded ones and by itself: each begins as no others do. */
export function createNames(prefix: string) {
  const given = new Map<string, string>();
  let count = 0;
  const fresh = () => `${prefix}${(++count).toString(36)}`;
  return {
    fresh,
    /** The name in place of a recorded one, once it was given. */
    of: (recorded: string): string | undefined => given.get(recorded),
    /** Gives one, the same for the same recorded name. */
    give(recorded: string): string {
      const name = given.get(recorded) ?? fresh();
      given.set(recorded, name);
      return name;
    },
  };
}
export type Names = ReturnType<typeof createNames>;
