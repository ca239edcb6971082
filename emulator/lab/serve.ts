import { gunzipSync } from 'node:zlib';
import { type ClientCase, isScripted, type Scripted } from '../contract/client-case.js';
import { bodyOf, joined, movesOf } from './body.js';

const BODILESS = new Set([204, 205, 304]);

/** Called when a number of chunks were read and more is asked for; the next chunk waits for it. */
export type Taken = (chunks: number) => Promise<void> | void;

/**
 * The answer of a case to its `request`-th request (from 0), in process: a `Response` whose body has the chunks that
 * the cuts make, without cuts those of the case. Waits take no time. A body that the case cuts off ends in a
 * TypeError; one that it leaves open never ends (LAB-7).
 *
 * `taken` is called before each next chunk, with the number of chunks so far.
 *
 * @throws TypeError for an exchange that only the lab's own sign or daemon answers
 */
export function serve(theCase: ClientCase, cuts?: readonly number[], request = 0, taken?: Taken): Response {
  const exchange = theCase.exchanges[Math.min(request, theCase.exchanges.length - 1)];
  if (exchange === undefined || !isScripted(exchange)) throw new TypeError(`${theCase.id} is not served in process`);
  const headers = new Headers();
  for (const [name, value] of Object.entries(exchange.headers))
    for (const one of [value].flat()) headers.append(name, one);
  const { status } = exchange;
  if (BODILESS.has(status)) return new Response(null, { status, headers });
  return new Response(bodyStream(exchange, cuts, taken), { status, headers });
}

function bodyStream(
  exchange: Scripted,
  cuts: readonly number[] | undefined,
  taken: Taken | undefined,
): ReadableStream<Uint8Array> {
  let moves = movesOf(exchange.steps, cuts);
  if (exchange.headers['content-encoding'] === 'gzip') moves = [{ bytes: gunzipSync(joined(moves)) }];
  const declared = exchange.framing === 'length' ? (exchange.length ?? bodyOf(exchange).length) : undefined;
  let left = declared ?? Number.POSITIVE_INFINITY;
  let at = 0;
  let chunks = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (chunks > 0) await taken?.(chunks);
        for (; at < moves.length; ) {
          const move = moves[at++];
          if (move === undefined || 'wait' in move) continue;
          if ('bytes' in move) {
            if (left <= 0) continue;
            controller.enqueue(move.bytes.subarray(0, Math.min(left, move.bytes.length)));
            left -= move.bytes.length;
            chunks++;
            return;
          }
          if (!('end' in move)) continue;
          if (move.end === 'none') return new Promise<void>(() => {});
          if (move.end === 'fin' && exchange.framing === 'close') break;
          controller.error(new TypeError('terminated'));
          return;
        }
        if (declared !== undefined && left > 0) controller.error(new TypeError('terminated'));
        else controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}
