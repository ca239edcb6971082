/** Whether a value is an object with names: no array, and not null. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The names of an object; none for any other value. */
export const recordOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});
