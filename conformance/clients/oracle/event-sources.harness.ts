import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from 'vitest';
import { isScripted } from '../../../emulator/contract/client-case.js';
import { bodyOf } from '../../../emulator/lab/body.js';
import { cases } from '../../../emulator/lab/cases.js';
import { type Dispatched, eventStream } from './event-stream.js';

/** The bodies of the cases about event streams. */
export const bodies = cases
  .filter(({ id, flags }) => id.startsWith('sse-') && flags?.includes('linear') !== true)
  .flatMap((one) => {
    const [exchange] = one.exchanges;
    return exchange !== undefined && isScripted(exchange) ? [{ id: one.id, bytes: bodyOf(exchange) }] : [];
  });

/** The types that the bodies name: an EventSource reports no others. */
export const TYPES = [...new Set(bodies.flatMap(({ bytes }) => eventStream(bytes).map(({ event }) => event)))];

/** Whether an EventSource can tell the event from its own. */
export const isTold = (event: Dispatched): boolean => event.event !== 'error' && event.event !== 'open';

/** Serves each body at its id, while the tests of a file run; returns the address. */
export function served(): { readonly origin: string } {
  const server = createServer((request, response) => {
    const found = bodies.find(({ id }) => `/${id}` === request.url);
    if (request.url === '/')
      return void response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>');
    // A second request is an EventSource that reconnects after the end: 204 stops it.
    if (found === undefined || request.headers['last-event-id'] !== undefined)
      return void response.writeHead(204).end();
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
  return {
    get origin() {
      return origin;
    },
  };
}

/** Reads a body with an EventSource until it ends. In a page too: uses nothing from outside. */
export function listen(
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
