import type { PlacedExchange } from '../read.js';
import { Bindings } from '../template.js';
import { compareRequest, type Difference, type ReplayRequest } from './compare.js';

/** An answer that was found for a request, or why none was. */
export type Found = { readonly exchange: PlacedExchange; readonly bindings: Bindings } | { readonly problem: string };

const isRead = (method: string) => method === 'GET' || method === 'HEAD' || method === 'OPTIONS';

const placeOf = ({ file, line, exchange: { request } }: PlacedExchange) =>
  `${request.method} ${request.path} (${file}:${line})`;

/**
 * The exchanges of one scenario, given out in their order. Order counts among equal requests only: a write takes its next
 * answer, and is used up after its last; a read takes its next answer that was recorded before the next write which was
 * not yet asked, else it repeats the last one.
 */
export function createScenario(exchanges: readonly PlacedExchange[]) {
  let bindings = new Bindings();
  const used = exchanges.map(() => false);
  const methodAt = (at: number) => exchanges[at]?.exchange.request.method ?? '';

  /** Which of the equal exchanges answers a read. */
  const forRead = (equal: readonly number[]): number | undefined => {
    const nextWrite = exchanges.findIndex((_, at) => !used[at] && !isRead(methodAt(at)));
    const open = equal.filter((at) => !used[at] && (nextWrite < 0 || at < nextWrite));
    // What was recorded before a write that was asked since would tell of a state that is gone.
    const lastWrite = exchanges.findLastIndex((_, at) => used[at] === true && !isRead(methodAt(at)));
    return open.find((at) => at > lastWrite) ?? equal.findLast((at) => used[at] === true) ?? open.at(-1);
  };

  return {
    /** Takes the answer to a request; what it is taken for counts as asked. */
    take(request: ReplayRequest): Found {
      const equal: { at: number; bindings: Bindings }[] = [];
      let nearest: { at: number; difference: Difference } | undefined;
      for (const [at, { exchange }] of exchanges.entries()) {
        const result = compareRequest(exchange.request, request, bindings);
        if (result instanceof Bindings) equal.push({ at, bindings: result });
        else if (!nearest || result.stage > nearest.difference.stage) nearest = { at, difference: result };
      }
      const indexes = equal.map(({ at }) => at);
      const at = isRead(request.method) ? forRead(indexes) : indexes.find((index) => !used[index]);
      const found = at === undefined ? undefined : exchanges[at];
      if (found && at !== undefined) {
        used[at] = true;
        bindings = equal.find((one) => one.at === at)?.bindings ?? bindings;
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
        problem: near ? `nearest: ${placeOf(near)}; ${nearest?.difference.text}` : 'the scenario holds no exchange',
      };
    },
  };
}
