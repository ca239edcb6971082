import { fail, gist } from '../../model/assert.js';
import type { Answer } from '../../probe/client.js';

const ANY_UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const ANY_TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
/**
 * Headers that depend on the body, which is compared itself, and headers that a server or a proxy may send
 * with one answer and not with the next.
 */
const PASSING =
  /^(content-length|etag|content-md5|(content-|repr-)?digest|date|age|expires|set-cookie|server-timing|via|nel|report-to|alt-svc|connection|keep-alive|cf-.*)$/;
/** Headers whose values differ between any two answers: ids, quotas, times. */
const VOLATILE = /^(traceparent|transfer-encoding|.*(id|ray|remaining|reset|time|timing|trace|took))$/;

const plain = (text: string, ids: readonly string[]) => {
  let out = text;
  for (const id of ids) out = out.replaceAll(id, '<id>');
  return out.replace(ANY_UUID, '<id>').replace(ANY_TIME, '<time>');
};

/** The media type for comparison (RFC 9110): in lower case, without a UTF-8 charset. */
export const mediaType = (headers: Headers): string =>
  (headers.get('content-type') ?? 'none').toLowerCase().replace(/\s*;\s*charset="?utf-8"?/, '');

interface Sameness {
  /** Ids that are replaced by one text in both answers. */
  readonly ids?: readonly string[];
  /** The fact that the answers must not reveal, for the finding. */
  readonly hides?: string;
  /** Headers (lower case) that may differ. */
  readonly ignored?: readonly string[];
}

/** All parts of a value by their places: `body.error.code` → `404`. */
function leaves(value: unknown, at: string, into: Map<string, string>): Map<string, string> {
  if (typeof value === 'object' && value !== null) {
    into.set(at, Array.isArray(value) ? `a list of ${value.length}` : 'an object');
    for (const [key, inner] of Object.entries(value)) leaves(inner, `${at}.${key}`, into);
  } else into.set(at, JSON.stringify(value) ?? 'undefined');
  return into;
}

/** The comparable content of an answer, without ids and times. */
function shownBy(answer: Answer, { ids = [], ignored = [] }: Sameness): Map<string, string> {
  const all = new Map([['status', String(answer.status)]]);
  const body: unknown =
    answer.json === undefined ? plain(answer.text, ids) : JSON.parse(plain(JSON.stringify(answer.json), ids));
  leaves(body, 'body', all);
  answer.headers.forEach((value, name) => {
    if (PASSING.test(name) || ignored.includes(name)) return;
    const shown = name === 'content-type' ? mediaType(answer.headers) : plain(value, ids);
    all.set(`header ${name}`, VOLATILE.test(name) ? 'any' : shown);
  });
  return all;
}

/** Most repetitions of both requests if their answers differ. */
const AGAIN = 4;

/**
 * Two answers that show no difference in status, body and headers, apart from ids and times. The parts that vary between equal
 * requests does not count: answers that differ are asked for again, in turn.
 */
export async function indistinguishable(
  one: () => Promise<Answer>,
  other: () => Promise<Answer>,
  what: string,
  same: Sameness = {},
): Promise<void> {
  const ones = [shownBy(await one(), same)];
  const others = [shownBy(await other(), same)];
  for (let again = 0; again < AGAIN && differences(ones, others).length > 0; again++) {
    ones.push(shownBy(await one(), same));
    others.push(shownBy(await other(), same));
  }
  const [first] = differences(ones, others);
  if (first === undefined) return;
  const shown = (all: readonly Map<string, string>[]) => all[0]?.get(first) ?? 'absent';
  const place = first.startsWith('header') ? first : first.replace(/^body\b.*/, 'body');
  const found = { [first]: { is: shown(ones), other: shown(others) } };
  if (same.hides === undefined) fail(what, `the same ${place}`, gist(`another ${place}`, found));
  fail(same.hides, 'the same as for an unknown one', gist(`another ${place}`, { what, ...found }));
}

/** Places at which all answers of each side agree, and the sides differ. */
function differences(ones: readonly Map<string, string>[], others: readonly Map<string, string>[]): string[] {
  const places = new Set([...ones, ...others].flatMap((all) => [...all.keys()]));
  const values = (all: readonly Map<string, string>[], at: string) => new Set(all.map((one) => one.get(at)));
  return [...places].filter((at) => {
    const [here, there] = [values(ones, at), values(others, at)];
    return here.size === 1 && there.size === 1 && ![...here].every((value) => there.has(value));
  });
}
