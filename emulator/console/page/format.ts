import { jsonOf } from '../../contract/nesting.js';

/** Milliseconds as a person says them: `340 ms`, `2.5 s`, `4:32`, `1:02:05`. */
export function span(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1).replace(/\.?0+$/, '')} s`;
  return countdown(ms);
}

/** Minutes and seconds left: `4:32`, `0:07`, `1:02:05`. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  const two = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** The time of day of an ISO 8601 time, UTC: `14:05:09`. */
export const timeOf = (iso: string): string => iso.slice(11, 19);

/** The day of an ISO 8601 time: `1 Jan 2026`. */
export function dayOf(iso: string): string {
  const [year = '', month = '1', day = '1'] = iso.slice(0, 10).split('-');
  const names = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
  return `${Number(day)} ${names[Number(month) - 1] ?? ''} ${year}`;
}

/** `1 Jan 2026, 14:05:09`. */
export const momentOf = (iso: string): string => `${dayOf(iso)}, ${timeOf(iso)}`;

/** Sorts by ISO 8601 times, oldest first. */
export const byTime = (one: { at: string }, other: { at: string }): number =>
  one.at < other.at ? -1 : one.at > other.at ? 1 : 0;

/** `1.2 KB` */
export const size = (bytes: number): string =>
  bytes < 1_024
    ? `${bytes} B`
    : bytes < 1_048_576
      ? `${(bytes / 1_024).toFixed(1)} KB`
      : `${(bytes / 1_048_576).toFixed(1)} MB`;

/** The first part of an id: enough to tell two apart by eye. */
export const short = (id: string): string => id.slice(0, 8);

const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** A text with each id shortened, or replaced by the name that it is known by, and a time as a person says it. */
export const atHumanLength = (text: string, nameOf: (id: string) => string | undefined = () => undefined): string =>
  TIME.test(text) ? momentOf(text) : text.replaceAll(UUID, (id) => nameOf(id) ?? `${short(id)}…`);

/** JSON laid out, or the text unchanged. */
export const pretty = (text: string): string => {
  const value = jsonOf(text);
  return value === undefined ? text : JSON.stringify(value, null, 2);
};

/** `allow_once` as words. */
export const words = (name: string): string => {
  const text = name.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
};
