import { failed } from '../answers.js';
import { parsed, withBody } from '../call.js';
import type { Way } from '../world.js';
import { CAP, MEMBERS } from './tools.js';

const CAPPED = 'The body is capped at 1048576 bytes, and a larger body is refused with 413.';
const APPLY = 'The 1048576-byte cap, 413 and 415 rules apply.';
const sizeOf = (text: string) => Buffer.byteLength(text);
const tooLarge = () => failed(413, 'Request body exceeds 1048576 bytes', 'payload_too_large');

export const limits: readonly Way[] = [
  // subtle
  {
    name: 'create-cap-in-characters',
    quote: CAPPED,
    wrong: (w) =>
      w.later('create', (response, { text }) =>
        response.status === 413 && text.length <= CAP ? failed(400, 'Invalid request body', 'invalid_body') : undefined,
      ),
  },
  // subtle
  {
    name: 'create-cap-of-what-was-read',
    quote: CAPPED,
    wrong: (w) =>
      w.asked('create', ({ text }) => {
        const body = sizeOf(text) > CAP ? parsed(text) : undefined;
        return body !== undefined && sizeOf(JSON.stringify(body)) <= CAP
          ? (body as Record<string, unknown>)
          : undefined;
      }),
  },
  // subtle
  {
    name: 'delete-cap-off-by-one',
    quote: APPLY,
    wrong: (w) => async (call, next) => {
      if (call.op !== 'delete' || sizeOf(call.text) !== CAP + 1) return next();
      const body = parsed(call.text);
      w.hit();
      return body === undefined ? failed(400, 'Invalid request body', 'invalid_body') : next(withBody(call, body));
    },
  },
  // subtle
  {
    name: 'update-cap-of-a-decimal-megabyte',
    quote: 'The 1048576-byte cap, 413 and 415 rules apply as for create.',
    wrong: (w) =>
      w.later('update', (response, { text }) =>
        [200, 400].includes(response.status) && sizeOf(text) > 1_000_000 && sizeOf(text) <= CAP
          ? tooLarge()
          : undefined,
      ),
  },
  // subtle
  {
    name: 'sign-cap-of-64-kilobytes',
    quote: '| 413 | Request body exceeds 1048576 bytes | payload_too_large | false | Body above the cap. |',
    wrong: (w) =>
      w.later('sign sign-alias', (response, { text }) =>
        [200, 400].includes(response.status) && sizeOf(text) > 65_536 ? tooLarge() : undefined,
      ),
  },
  // subtle
  {
    name: 'delete-too-large-but-done',
    quote: APPLY,
    wrong: (w) => async (call, next) => {
      const response = await next();
      if (call.op !== 'delete' || response.status !== 413 || !MEMBERS.includes(call.who)) return response;
      const { ok } = await w.ask('DELETE', `/interns/${call.id}`);
      if (ok) w.hit();
      return response;
    },
  },
];
