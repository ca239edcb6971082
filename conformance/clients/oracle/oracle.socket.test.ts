import { EventSource } from 'eventsource';
import { createParser } from 'eventsource-parser';
import { describe, expect, test } from 'vitest';
import { cases } from '../../../emulator/lab/cases.js';
import { DIFFERENCES } from '../../../scripts/client-cases/differences.js';
import { bodies, isTold, listen, served, TYPES } from './event-sources.harness.js';
import { type Dispatched, eventStream } from './event-stream.js';

const server = served();

test('what differs is named in the cases', () => {
  const noted = cases.filter(({ notes }) => notes !== undefined).map(({ id }) => id);
  const known = Object.values(DIFFERENCES).flatMap((one) => Object.keys(one.cases));
  expect(noted.sort()).toEqual([...new Set(known)].sort());
});

describe('the oracle agrees with parsers of other hands', () => {
  test.each(bodies)('eventsource-parser: $id', ({ id, bytes }) => {
    const events: Dispatched[] = [];
    let lastId = '';
    const parser = createParser({
      onEvent(event) {
        lastId = event.id ?? lastId;
        events.push({ event: event.event ?? 'message', data: event.data, id: lastId });
      },
    });
    parser.feed(new TextDecoder().decode(bytes));
    const expected = eventStream(bytes);
    if (id in DIFFERENCES['eventsource-parser'].cases) expect(events).not.toEqual(expected);
    else expect(events).toEqual(expected);
  });

  test('the package eventsource, every case', async () => {
    const differing: string[] = [];
    for (const { id, bytes } of bodies) {
      const events = await listen(
        EventSource as unknown as Parameters<typeof listen>[0],
        `${server.origin}/${id}`,
        TYPES,
      );
      if (JSON.stringify(events) !== JSON.stringify(eventStream(bytes).filter(isTold))) differing.push(id);
    }
    expect(differing.sort()).toEqual(Object.keys(DIFFERENCES.eventsource.cases));
  });
});
