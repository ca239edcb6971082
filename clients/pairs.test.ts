import { EventSourceParserStream as Mended } from 'eventsource-parser/stream';
import { EventSourceParserStream as Broken } from 'eventsource-parser-3.0.0/stream';
import { expect, test } from 'vitest';
import { checkInProcess } from '../conformance/clients/in-process.js';
import type { AnsweredEvent } from '../conformance/clients/protocol.js';
import { cases } from '../emulator/lab/cases.js';

/** One pair of the lab's that is small enough to be held by each run of the tests: `npm run clients -- --pairs` has all. */
test.each([
  { name: '3.0.0', Parser: Broken, right: false },
  { name: 'the one installed', Parser: Mended, right: true },
])('eventsource-parser, $name: passes sse-crlf-split: $right', async ({ Parser, right }) => {
  const [one] = cases.filter(({ id }) => id === 'sse-crlf-split');
  if (one === undefined) throw new Error('there is no such case');
  const { counterexample } = await checkInProcess(
    one,
    async (response) => {
      const events: AnsweredEvent[] = [];
      const texts = (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream());
      for await (const { data, event, id } of texts.pipeThrough(new Parser()))
        events.push({ data, event: event ?? 'message', id: id ?? '' });
      return { outcome: 'complete', events };
    },
    { cuts: 'none' },
  );
  expect(counterexample === undefined).toBe(right);
});
