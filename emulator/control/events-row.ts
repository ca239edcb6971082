import { suggestion } from '../contract/nearest.js';
import { ControlError } from './error.js';
import { EVENT_TYPES, type Events, type EventType } from './events.js';
import { type ControlRow, controlRow } from './router.js';

const ALL: ReadonlySet<EventType> = new Set(EVENT_TYPES);

function typesOf(given: string | null): ReadonlySet<EventType> {
  if (given === null) return ALL;
  const types = new Set<EventType>();
  for (const name of given.split(',')) {
    const type = EVENT_TYPES.find((known) => known === name.trim());
    if (!type) {
      const near = suggestion(name.trim(), EVENT_TYPES);
      throw new ControlError(400, `types: ${JSON.stringify(name)} is not one of ${EVENT_TYPES.join(', ')}${near}`);
    }
    types.add(type);
  }
  return types;
}

/** `GET /_emulator/events` (SEE-3). */
export const eventsRow = (events: Pick<Events, 'subscribe'>): ControlRow =>
  controlRow('GET /events', {
    does: 'Streams what changes as server-sent events; `Last-Event-ID` resumes',
    query: { types: `Only these, separated by commas: ${EVENT_TYPES.join(', ')}` },
    handle({ query, request, streams }) {
      const body = events.subscribe(typesOf(query.get('types')), request.headers.get('last-event-id'));
      streams();
      const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };
      return { status: 200, headers, body };
    },
  });
