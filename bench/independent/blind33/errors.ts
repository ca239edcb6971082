import { failed } from '../answers.js';
import { bytesOf, CAP, recordOf, way } from '../blind32/helpers.js';
import { isJson, parsed } from '../call.js';
import type { Way } from '../world.js';

const ENVELOPE =
  'Envelope: `{ error: { code: <integer HTTP status>, message: <string>, metadata: { reason: <string>, retryable: <boolean> } } }`.';
const CAPPED = 'The body is capped at 1048576 bytes, and a larger body is refused with 413.';
const TYPED = 'A non-empty body must declare `Content-Type: application/json`, or it is refused with 415.';
const DELETES = 'The 1048576-byte cap, 413 and 415 rules apply.';
const TURNS = 'The signing route counts against the chat turn limiter.';
const ALIAS = 'Deprecated alias of the operation above with the same request, response and errors.';
const HIDDEN = '| 404 | Intern not found | not_found | false | Intern unknown or not visible. |';

export const errors: readonly Way[] = [
  way('code-of-413-is-400', ENVELOPE, (w) =>
    w.error('create update delete sign sign-alias', 413, (error) => {
      error.code = 400;
    }),
  ),
  way('delete-without-a-cap', DELETES, (w) =>
    w.asked('delete', ({ text, body }) =>
      bytesOf(text) > CAP && isJson(parsed(text))
        ? body.acknowledge_workspace_loss === undefined
          ? {}
          : { acknowledge_workspace_loss: body.acknowledge_workspace_loss }
        : undefined,
    ),
  ),
  way('cap-of-a-million', CAPPED, (w) =>
    w.instead('create update', ({ text }) =>
      bytesOf(text) > 1_000_000 && bytesOf(text) <= CAP
        ? failed(413, 'Request body exceeds 1048576 bytes', 'payload_too_large')
        : undefined,
    ),
  ),
  way('create-refused-by-type-but-made', TYPED, (w) => async (call, next) => {
    const response = await next();
    if (call.op !== 'create' || response.status !== 415) return response;
    const made = await w.ask('POST', '/interns', { as: call.who, body: call.text });
    if (made.ok) w.hit();
    return response;
  }),
  way('sign-404-tells-the-foreign-apart', HIDDEN, (w) =>
    w.later('sign sign-alias', async ({ status }, { id }) =>
      status === 404 && (await recordOf(w, id, 'foreign_api_key'))
        ? failed(404, 'Intern belongs to another workspace', 'not_found')
        : undefined,
    ),
  ),
  way('sign-alias-with-flat-errors', ALIAS, (w) =>
    w.json('sign-alias', (body) => {
      if (!isJson(body.error)) return;
      Object.assign(body, body.error);
      delete body.error;
    }),
  ),
  {
    name: 'signing-does-not-count',
    quote: TURNS,
    factories: (usual, hit) => ({
      createRoutes(deps) {
        const { chat, sign } = deps;
        const lawful = usual.createLimiter(chat);
        const count = (id: string) => {
          try {
            lawful.take(id);
          } catch {
            hit();
          }
        };
        const take = (id: string) => {
          const back = chat.limiter.take(id);
          count(id);
          return back;
        };
        return usual.createRoutes({
          ...deps,
          chat: { ...chat, limiter: { ...chat.limiter, take } },
          sign: {
            ...sign,
            limiter: {
              take(id) {
                take(id)();
                return () => {};
              },
            },
          },
        });
      },
    }),
  },
];
