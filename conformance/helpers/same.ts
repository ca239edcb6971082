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

function headersOf(answer: Answer, ids: readonly string[], ignored: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  answer.headers.forEach((value, name) => {
    if (PASSING.test(name) || ignored.includes(name)) return;
    found[name] = VOLATILE.test(name) ? 'any' : plain(value, ids);
  });
  return found;
}

/**
 * Two answers that nobody could tell apart: status, body and headers, but for ids and times.
 *
 * @param ids what stands for an id in either answer
 * @param ignored headers (lower case) that may differ
 */
export function indistinguishable(
  one: Answer,
  other: Answer,
  what: string,
  { ids = [], ignored = [] }: { ids?: readonly string[]; ignored?: readonly string[] } = {},
): void {
  equal(one.status, other.status, `status, ${what}`);
  const body = (answer: Answer): unknown =>
    answer.json === undefined ? plain(answer.text, ids) : JSON.parse(plain(JSON.stringify(answer.json), ids));
  equal(body(one), body(other), `body, ${what}`);
  equal(headersOf(one, ids, ignored), headersOf(other, ids, ignored), `headers, ${what}`);
}
