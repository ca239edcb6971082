type Given<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };

/** The given options: those that are undefined are left out. */
export const given = <T extends object>(options: T): Given<T> =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Given<T>;
