import { clipped } from '../../contract/visible.js';
import type { PlacedExchange } from '../read.js';
import { Bindings } from '../template.js';
import { type Comparable, comparableRecorded, compareRequest, type Mismatch } from './compare.js';

/** The answer for a request, or why there is none. */
export type Taken = { readonly exchange: PlacedExchange; readonly bindings: Bindings } | { readonly problem: string };

const isRead = (method: string) => method === 'GET' || method === 'HEAD' || method === 'OPTIONS';

/** Most characters of a recorded path that are shown: the difference must fit beside it. */
const MOST_PATH = 120;

const placeOf = ({ file, line, exchange: { request } }: PlacedExchange) => {
  const { method, path } = request;
  return `${method} ${clipped(path, MOST_PATH)} (${file}:${line})`;
};

/**
 * The exchanges of one scenario, given out in their order. Order counts among equal requests only. A write takes its
 * next answer, and has none left after its last. A read takes its next answer that was recorded before the next write,
 * or else repeats the last one. The next write is the first unasked one after the latest asked one, so a write that the
 * client skipped holds nothing back.
 */
export function createScenario(exchanges: readonly PlacedExchange[]) {
  const recorded = exchanges.map(({ exchange }) => comparableRecorded(exchange.request));
  const bindings = new Bindings();
  const used = exchanges.map(() => false);
  const isWrite = (at: number) => !isRead(recorded[at]?.method ?? '');

  /** Chooses among equal exchanges the one that answers a read. */
  const forRead = (equal: readonly number[]): number | undefined => {
    const lastWrite = used.findLastIndex((asked, at) => asked && isWrite(at));
    const nextWrite = used.findIndex((asked, at) => at > lastWrite && !asked && isWrite(at));
    const open = equal.filter((at) => !used[at] && (nextWrite < 0 || at < nextWrite));
    // An answer from before the latest asked write would show an old state.
    return open.find((at) => at > lastWrite) ?? equal.findLast((at) => used[at] === true) ?? open.at(-1);
  };

  return {
    /** Takes the answer to a request; the matching exchange counts as asked. */
    take(request: Comparable): Taken {
      const equal: { at: number; bindings: Bindings }[] = [];
      let nearest: { at: number; difference: Mismatch; near: number } | undefined;
      for (const [at, one] of recorded.entries()) {
        // A request that was not recorded whole cannot be compared.
        if (exchanges[at]?.exchange.left_out?.request) continue;
        const result = compareRequest(one, request, bindings);
        if (result instanceof Bindings) {
          equal.push({ at, bindings: result });
          continue;
        }
        // Several requests may differ at the same stage: the first that was not asked yet was probably meant.
        const near = result.stage + (used[at] ? 0 : 0.001);
        if (!nearest || near > nearest.near) nearest = { at, difference: result, near };
      }
      const indexes = equal.map(({ at }) => at);
      const at = isRead(request.method) ? forRead(indexes) : indexes.find((index) => !used[index]);
      const found = at === undefined ? undefined : exchanges[at];
      const missing = found?.exchange.left_out?.answer;
      if (found && missing)
        return { problem: `the answer was not recorded as a whole (${missing.why}): ${placeOf(found)}` };
      if (found && at !== undefined) {
        used[at] = true;
        equal.find((one) => one.at === at)?.bindings.keep();
        return { exchange: found, bindings };
      }
      const [first] = indexes;
      const equalOne = first === undefined ? undefined : exchanges[first];
      if (equalOne) {
        const problem = isRead(request.method)
          ? `recorded only after a write that was not asked yet: ${placeOf(equalOne)}`
          : `each recorded answer was given: ${placeOf(equalOne)}`;
        return { problem };
      }
      const near = nearest && exchanges[nearest.at];
      return {
        problem: near ? `nearest: ${placeOf(near)}; ${nearest?.difference.text()}` : 'the scenario holds no exchange',
      };
    },
  };
}
