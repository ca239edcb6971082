import { parseJson } from '../probe/json.js';

/** An object of JSON, whatever is in it. Answers and recordings come in any form: nothing here throws. */
export type Shape = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Shape =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const recordOf = (value: unknown): Shape => (isRecord(value) ? value : {});
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
/** A value as part of a line. */
export const said = (value: unknown): string => (typeof value === 'string' ? value : String(JSON.stringify(value)));

/** The value of a JSON text; undefined if it is not JSON, or nested too deep to walk. */
export function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
