import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EventSource } from 'eventsource';
import { createParser } from 'eventsource-parser';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isScripted } from '../../../emulator/contract/client-case.js';
import { bodyOf } from '../../../emulator/lab/body.js';
import { cases } from '../../../emulator/lab/cases.js';
import { DIFFERENCES } from '../../../scripts/client-cases/differences.js';
import { type Dispatched, eventStream } from './event-stream.js';

const bodies = cases
  .filter(({ id, flags }) => id.startsWith('sse-') && flags?.includes('linear') !== true)
  .flatMap((one) => {
    const [exchange] = one.exchanges;
    return exchange !== undefined && isScripted(exchange) ? [{ id: one.id, bytes: bodyOf(exchange) }] : [];
  });

/** The types that the bodies name: an EventSource tells of no others. */
const TYPES = [...new Set(bodies.flatMap(({ bytes }) => eventStream(bytes).map(({ event }) => event)))];

/** What an EventSource cannot tell from its own. */
const isTold = (event: Dispatched): boolean => event.event !== 'error' && event.event !== 'open';

const server = createServer((request, response) => {
  const found = bodies.find(({ id }) => `/${id}` === request.url);
  if (request.url === '/') return void response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>');
  // A second request is an EventSource that comes back after the end: 204 tells it to stop.
  if (found === undefined || request.headers['last-event-id'] !== undefined) return void response.writeHead(204).end();
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(found.bytes);
});
let origin = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Reads a body with an EventSource until it ends. In a page too: uses nothing from outside. */
function listen(
  Source: new (url: string) => globalThis.EventTarget & { close(): void },
  url: string,
  types: string[],
): Promise<{ event: string; data: string; id: string }[]> {
  return new Promise((resolve) => {
    const events: { event: string; data: string; id: string }[] = [];
    const source = new Source(url);
    for (const type of types) {
      source.addEventListener(type, (event) => {
        const { data, lastEventId } = event as unknown as { data: string; lastEventId: string };
        events.push({ event: event.type, data, id: lastEventId });
      });
    }
    source.addEventListener('error', () => {
      source.close();
      resolve(events);
    });
  });
}

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

  test('Chromium’s EventSource, every case', async () => {
    const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
    try {
      const page = await browser.newPage();
      await page.goto(origin);
      const found = await page.evaluate(
        async ({ ids, types, code }) => {
          const read = new Function(`return ${code}`)();
          const result: Record<string, unknown> = {};
          for (const id of ids)
            result[id] = await read((globalThis as unknown as { EventSource: unknown }).EventSource, `/${id}`, types);
          return result;
        },
        { ids: bodies.map(({ id }) => id), types: TYPES, code: listen.toString() },
      );
      expect(found).toEqual(Object.fromEntries(bodies.map(({ id, bytes }) => [id, eventStream(bytes).filter(isTold)])));
    } finally {
      await browser.close();
    }
  });

  test('the package eventsource, every case', async () => {
    const differing: string[] = [];
    for (const { id, bytes } of bodies) {
      const events = await listen(EventSource as unknown as Parameters<typeof listen>[0], `${origin}/${id}`, TYPES);
      if (JSON.stringify(events) !== JSON.stringify(eventStream(bytes).filter(isTold))) differing.push(id);
    }
    expect(differing.sort()).toEqual(Object.keys(DIFFERENCES.eventsource.cases));
  });
});
