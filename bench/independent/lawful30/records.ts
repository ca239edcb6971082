import type { Call, Json } from '../call.js';
import type { Way } from '../world.js';
import { internsIn } from './helpers.js';

const RECORDS = 'list get create update';

/** Additional fields of what else is answered, by operation. */
const EXTRA: Readonly<Record<string, Json>> = {
  list: { object: 'list', url: '/api/v1/interns' },
  provision: { object: 'intern.operation', message: 'Provisioning has started', estimated_seconds: 30 },
  suspend: { object: 'intern.operation', message: 'The runtime was stopped' },
  delete: { object: 'intern.operation', message: 'Teardown has started' },
  invoke: { object: 'intern.session', queue_position: 0 },
  daemon: { protocol: 2, transport: 'https' },
  'daemon-alias': { protocol: 2, transport: 'https' },
};

/** Non-ASCII as escapes, as some servers write their JSON. */
const ascii = (text: string) =>
  text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** A body in pieces of a few bytes, which need not end where a character does. */
function pieces(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let held: Uint8Array[] = [];
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        while (held.length === 0) {
          const { done, value } = await reader.read();
          if (done) return controller.close();
          const size = Math.max(3, Math.ceil(value.length / 200));
          for (let at = 0; at < value.length; at += size) held.push(value.slice(at, at + size));
        }
        const [first, ...rest] = held;
        held = rest;
        if (first) controller.enqueue(first);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

export const records: readonly Way[] = [
  {
    // The lists of fields are not closed, except for a SCIM mapping, a secret and a signature, which stay as they are.
    name: 'records and acknowledgements carry further fields',
    lawful: true,
    quote: 'Complete field list, types and formats of the intern record: not shown.',
    wrong: (world) =>
      world.ok(`${RECORDS} provision suspend delete invoke daemon daemon-alias`, (body, { op }) => {
        if (RECORDS.includes(op))
          for (const intern of internsIn(body))
            Object.assign(intern, {
              object: 'intern',
              region: 'fra-1',
              labels: {},
              owner: { type: 'user' },
              version: 3,
            });
        Object.assign(body, EXTRA[op]);
      }),
  },
  {
    // Whole seconds are written with milliseconds all the same; that a change moves `updated_at` is chosen.
    name: 'timestamps of interns are whole seconds',
    lawful: true,
    quote: '`created_at`, `updated_at` (ISO 8601 UTC with milliseconds)',
    wrong: (world) =>
      world.ok(RECORDS, (body) => {
        for (const intern of internsIn(body))
          for (const field of ['created_at', 'updated_at'])
            intern[field] = String(intern[field]).replace(/\.\d{3}Z$/, '.000Z');
      }),
  },
  {
    // JSON is JSON with white space and escapes; where the network cuts a body is nobody's promise.
    name: 'bodies come in pieces of three bytes, JSON indented and escaped',
    lawful: true,
    quote: 'Request and response bodies are JSON unless a stream is stated.',
    wrong: (world) => async (_call: Call, next) => {
      const response = await next();
      if (response.body === null) return response;
      world.hit();
      const headers = new Headers(response.headers);
      const { status } = response;
      if (!/json/.test(headers.get('content-type') ?? ''))
        return new Response(pieces(response.body), { status, headers });
      const text = await response.text();
      if (text === '') return new Response(null, { status, headers });
      headers.delete('content-length');
      const other = new Response(`${ascii(JSON.stringify(JSON.parse(text), null, 2))}\n`).body;
      return new Response(other && pieces(other), { status, headers });
    },
  },
];
