import { isJson } from '../call.js';
import type { Way } from '../world.js';
import { deltaOf, internsOf, right, textOf, withDelta } from './helpers.js';

const INTERN = 'Complete field list, types and formats of the intern record: not shown.';
const RESPONSES = 'Fields of the responses of list, delete, provision and suspend: not shown.';
const SUCCESS = 'Success status codes other than 202 for invoke: not shown.';
const CATALOGUE = 'Error catalogue for the intern operations other than signing: not shown.';
const DAEMON = 'Fields of the daemon-access record beyond an origin and a daemon token: not shown.';
const ROLES = 'Allowed values of role: not shown.';
const FORMAT = 'in the common chat-completion chunk format (`choices`, `finish_reason`)';
const TYPE = 'The chat stream (`Content-Type` of a server-sent event stream)';

/** Lawful ways: interface.md leaves these to a service. */
export const rightly: readonly Way[] = [
  right('interns-have-a-field-more', INTERN, (w) =>
    w.ok('create get update list', (body) => {
      for (const row of internsOf(body)) row.region = 'somewhere';
    }),
  ),
  right('delete-and-suspend-say-more', RESPONSES, (w) =>
    w.ok('delete suspend provision', (body, { id }) => {
      body.id = id;
    }),
  ),
  right('delete-answers-200', SUCCESS, (w) =>
    w.later('delete', (r) =>
      r.status === 202 ? new Response(r.body, { status: 200, headers: r.headers }) : undefined,
    ),
  ),
  right('get-words-what-it-does-not-find', CATALOGUE, (w) =>
    w.error('get update', 404, (error) => {
      error.message = 'No such intern';
    }),
  ),
  right('daemon-says-more', DAEMON, (w) =>
    w.ok('daemon daemon-alias', (body) => {
      body.protocol = 'host';
    }),
  ),
  right('role-is-another', ROLES, (w) =>
    w.ok('scim', ({ data }) => {
      if (isJson(data)) data.role = 'auditor';
    }),
  ),
  right('text-comes-in-smaller-pieces', FORMAT, (w) =>
    w.stream(() => (_, chunk) => {
      const text = textOf(chunk);
      return chunk && text && text.length > 1
        ? [...text].map((content) => withDelta(chunk, { ...deltaOf(chunk), content }))
        : undefined;
    }),
  ),
  right('stream-names-its-charset', TYPE, (w) =>
    w.head('chat', (headers, _, r) => {
      if (r.status === 200) headers.set('content-type', 'text/event-stream; charset=utf-8');
    }),
  ),
];
