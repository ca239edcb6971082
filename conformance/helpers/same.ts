import { isDeepStrictEqual } from 'node:util';
import { equal } from '../framework/assert.js';
import type { Answer } from '../probe/client.js';

const ANY_UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const ANY_TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
/** Headers that a server or what stands before it may send with one answer and not with the next. */
const PASSING = /^(date|age|expires|set-cookie|server-timing|via|nel|report-to|alt-svc|connection|keep-alive|cf-.*)$/;
/** Headers whose values differ between any two answers: ids, quotas, times. */
const VOLATILE = /^(traceparent|transfer-encoding|.*(id|ray|remaining|reset|time|timing|trace|took))$/;

const plain = (text: string, ids: readonly string[]) => {
  let out = text;
  for (const id of ids) out = out.replaceAll(id, '<id>');
  return out.replace(ANY_UUID, '<id>').replace(ANY_TIME, '<time>');
};

/** The media type of a body of JSON or text as RFC 9110 compares it: no case, and UTF-8 said or not. */
export const mediaType = (headers: Headers): string =>
  (headers.get('content-type') ?? 'none').toLowerCase().replace(/\s*;\s*charset="?utf-8"?/, '');

function headersOf(answer: Answer, ids: readonly string[], ignored: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  answer.headers.forEach((value, name) => {
    if (PASSING.test(name) || ignored.includes(name)) return;
    if (name === 'content-type') found[name] = mediaType(answer.headers);
    else found[name] = VOLATILE.test(name) ? 'any' : plain(value, ids);
  });
  return found;
}

/** `value`, with `any` for what differs between the two samples of the same answer, wherever in them it stands. */
function settled(value: unknown, one: unknown, other: unknown): unknown {
  if (isDeepStrictEqual(one, other)) return value;
  if (!isFields(value) || !isFields(one) || !isFields(other)) return typeof value === typeof one ? 'any' : value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, settled(inner, one[key], other[key])] as const),
  );
}

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Two answers that nobody could tell apart: status, body and headers, but for ids and times. What a target makes anew for
 * each answer, such as an id of the request in the body, is found by asking for the second answer once more.
 *
 * @param ids what stands for an id in either answer
 * @param ignored headers (lower case) that may differ
 * @param again asks for the second answer once more
 */
export async function indistinguishable(
  one: Answer,
  other: Answer,
  what: string,
  {
    ids = [],
    ignored = [],
    again,
  }: { ids?: readonly string[]; ignored?: readonly string[]; again?: () => Promise<Answer> } = {},
): Promise<void> {
  equal(one.status, other.status, `status, ${what}`);
  const shape = (answer: Answer) => ({
    body: answer.json === undefined ? plain(answer.text, ids) : JSON.parse(plain(JSON.stringify(answer.json), ids)),
    headers: headersOf(answer, ids, ignored),
  });
  let [left, right] = [shape(one), shape(other)];
  if (again !== undefined && !isDeepStrictEqual(left, right)) {
    const sample = shape(await again());
    const told = right;
    const steady = (each: typeof left) => settled(each, told, sample) as typeof left;
    [left, right] = [steady(left), steady(told)];
  }
  equal(left.body, right.body, `body, ${what}`);
  equal(left.headers, right.headers, `headers, ${what}`);
}
