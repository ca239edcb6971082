/** The names that a run gives interns, in place of recorded ones and by itself: each begins as no others do. */
export interface Names {
  /** The name in place of a recorded one, once it was given. */
  of(recorded: string): string | undefined;
  /** Gives one, the same for the same recorded name. */
  give(recorded: string): string;
  fresh(): string;
}

export function createNames(prefix: string): Names {
  const given = new Map<string, string>();
  let count = 0;
  const fresh = () => `${prefix}${(++count).toString(36)}`;
  return {
    fresh,
    of: (recorded) => given.get(recorded),
    give(recorded) {
      const name = given.get(recorded) ?? fresh();
      given.set(recorded, name);
      return name;
    },
  };
}
