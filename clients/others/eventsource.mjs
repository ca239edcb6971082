// The package eventsource, with a fetch that POSTs. It does not distinguish an end from a break: both are its `error`
// event.
import { EventSource } from 'eventsource';
import { adapt } from '../adapters/adapter.ts';
import { versionOf } from './version.mjs';

const TYPES = ['message', 'ping', 'late', 'two', 'e', 'e ', 'lost', 'x', 'one'];

await adapt({ adapter: 'eventsource', version: versionOf('eventsource'), layers: ['sse'] }, (run, answer, tell) => {
  answer.events = [];
  return new Promise((resolve, reject) => {
    const source = new EventSource(run.url, {
      fetch: (url, init) =>
        fetch(url, {
          ...init,
          method: 'POST',
          headers: { ...init.headers, ...run.headers, 'content-type': 'application/json' },
          body: JSON.stringify(run.body),
          signal: AbortSignal.any([init.signal, AbortSignal.timeout(run.timeout)].filter(Boolean)),
        }),
    });
    for (const type of TYPES) {
      source.addEventListener(type, (event) => {
        answer.events.push({ event: event.type, data: event.data, id: event.lastEventId });
        tell({});
        if (answer.events.length === run.stop_after) {
          source.close();
          resolve();
        }
      });
    }
    source.addEventListener('error', (event) => {
      source.close();
      const broken = event.code !== undefined || (event.message !== undefined && !/closed|ended/i.test(event.message));
      if (broken) reject(Object.assign(new Error(event.message ?? 'failed'), { status: event.code }));
      else resolve();
    });
  });
});
