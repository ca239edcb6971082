import { describe, expect, test } from 'vitest';
import { cases } from '../../emulator/lab/cases.js';
import { checkInProcess, isInProcess } from './in-process.js';
import type { AnsweredEvent } from './protocol.js';

/** Tests of a parser of event streams, one per case: `intern-emulator/lab/vitest` (LAB-7). */

/** Reads the events of a response; an error that it throws is the error that its caller sees. */
type ParseEvents = (response: Response) => AsyncIterable<AnsweredEvent> | Promise<Iterable<AnsweredEvent>>;

interface ParserOptions {
  readonly name?: string;
  /** Ids of cases to leave out, such as those that the parser is known to fail. */
  readonly skip?: readonly string[];
  /** Default `all`: every place, and every two of a body below 200 bytes. */
  readonly cuts?: 'none' | 'few' | 'all';
}

/**
 * Registers one test per case of the event stream, each cut everywhere. `intern-conformance client` has the other
 * cases.
 *
 * @example
 * ```ts
 * import { EventSourceParserStream } from 'eventsource-parser/stream';
 * import { testParser } from 'intern-emulator/lab/vitest';
 *
 * testParser((response) =>
 *   (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()),
 * );
 * ```
 */
export function testParser(parse: ParseEvents, options: ParserOptions = {}): void {
  const mine = cases.filter((one) => one.id.startsWith('sse-') && isInProcess(one));
  describe(options.name ?? 'event stream', () => {
    for (const one of mine) {
      test.skipIf(options.skip?.includes(one.id))(`${one.id}: ${one.title}`, { timeout: 120_000 }, async () => {
        const { counterexample } = await checkInProcess(
          one,
          async (response, _case, onEvent) => {
            const events: AnsweredEvent[] = [];
            try {
              const read = parse(response);
              if (Symbol.asyncIterator in read)
                for await (const event of read) {
                  events.push(event);
                  onEvent();
                }
              else events.push(...(await read));
              return { outcome: 'complete', events };
            } catch (error) {
              return { outcome: 'error', events, error: { message: String(error) } };
            }
          },
          { cuts: options.cuts ?? 'all' },
        );
        if (counterexample === undefined) return expect(counterexample).toBeUndefined();
        const { cuts, judgement } = counterexample;
        const where = cuts === undefined ? 'as it stands' : `cut at [${cuts.join(', ')}]`;
        const [first] = judgement.differences;
        expect(first?.actual, `${one.id}, ${where}: ${first?.what ?? 'not the same as uncut'} (${one.why[0]})`).toEqual(
          first?.expected,
        );
        expect.fail(`${one.id}, ${where}: the answer is not the same as uncut`);
      });
    }
  });
}
