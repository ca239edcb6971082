/** An object of JSON, whatever is in it. Answers and recordings come in any form: nothing here throws. */
export type Shape = Readonly<Record<string, unknown>>;

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
/** A value as part of a line. */
export const said = (value: unknown): string => (typeof value === 'string' ? value : String(JSON.stringify(value)));
