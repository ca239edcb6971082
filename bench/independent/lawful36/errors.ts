import { DONE, frameOf } from '../../../emulator/wire/chunks.js';
import { failed } from '../answers.js';
import { type Call, isJson } from '../call.js';
import { isOrdinary, isServed, moved, reasonOf } from '../lawful35/helpers.js';
import type { Way } from '../world.js';
import { isOfMember } from './helpers.js';

const KEYS = ['api_key', 'peer_api_key', 'foreign_api_key'];

/** Whether a text or a name in a body has the character that a database does not take. */
const hasNul = ({ body }: Call) =>
  Object.values(body).some((value) => typeof value === 'string' && value.includes('\u0000'));

export const overloaded: Way = {
  name: 'an intern that streams to another is 503, with its wait',
  lawful: true,
  unpublished: true,
  quote: 'Error catalogue for the intern operations other than signing: not shown.',
  wrong: (world) =>
    world.later('chat', async (response) =>
      response.status === 409 && (await reasonOf(response)) === 'busy'
        ? moved(response, 503, { reason: 'busy', retryable: true })
        : undefined,
    ),
};

export const notUp: Way = {
  name: 'a prompt to an intern that does not run is 503',
  lawful: true,
  unpublished: true,
  quote: 'Error catalogue for the intern operations other than signing: not shown.',
  wrong: (world) =>
    world.later('chat invoke', async (response) =>
      (await reasonOf(response)) === 'intern_not_ready'
        ? moved(response, 503, { reason: 'intern_not_ready', retryable: true })
        : undefined,
    ),
};

export const opened: Way = {
  name: 'a stream opens at once: a turn that the intern does not take is an error in it',
  lawful: true,
  unpublished: true,
  quote: 'The run ends in one of three finish reasons: `stop`, `tool_calls`, `error`.',
  wrong: (world) =>
    world.later('chat', async (response, { body }) => {
      const reason = await reasonOf(response);
      if (response.status !== 502 || !['turn_failed', 'intern_unreachable'].includes(reason)) return undefined;
      const chunk = {
        id: `gen-${world.setting.host.now()}`,
        object: 'chat.completion.chunk',
        created: 1,
        model: 'intern',
      };
      const error = { code: 502, message: 'The intern did not take the turn', metadata: { reason, retryable: true } };
      const events = [
        { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: 'error' }], error },
        { ...chunk, choices: [], session_id: body.session_id ?? `s-${world.setting.host.now()}`, usage: null },
      ];
      return new Response(events.map(frameOf).join('') + DONE, { headers: { 'content-type': 'text/event-stream' } });
    }),
};

export const errors: readonly Way[] = [
  overloaded,
  notUp,
  opened,
  {
    name: 'every 409 has one reason and may be tried again',
    lawful: true,
    unpublished: true,
    quote: 'Error catalogue for the intern operations other than signing: not shown.',
    wrong: (world) =>
      world.error('*', 409, (error) => {
        error.metadata = { reason: 'conflict', retryable: true };
      }),
  },
  {
    name: 'an idempotency key with another body is 422, as its draft has it',
    lawful: true,
    unpublished: true,
    quote: 'A retry with the same idempotency key and the same body resumes unfinished work.',
    wrong: (world) =>
      world.later('create', async (response) => {
        const reason = await reasonOf(response);
        return reason === 'idempotency_key_reused' ? moved(response, 422, { reason, retryable: false }) : undefined;
      }),
  },
  {
    name: 'a text with a NUL is 400, as the database does not take it',
    lawful: true,
    unpublished: true,
    quote: 'create_intern | Valid body | Creates the intern and its private vault.',
    wrong: (world) =>
      world.instead('create update', async (call) =>
        isOrdinary(call) && hasNul(call) && isOfMember(call) && (call.op === 'create' || (await isServed(world, call)))
          ? failed(400, 'Invalid request body', 'invalid_body')
          : undefined,
      ),
  },
  {
    name: 'invoke says of a session that it is unknown',
    lawful: true,
    unpublished: true,
    quote: 'Any other, including sessions started from a chat tool or from the chat endpoint, is refused with 404.',
    wrong: (world) =>
      world.later('invoke', async (response, call) => {
        if (response.status !== 404 || call.body.session_id === undefined || !(await isServed(world, call)))
          return undefined;
        return failed(404, 'There is no such session', 'session_not_found');
      }),
  },
  {
    name: 'an API key is refused at the daemon and in signing before the intern is looked up',
    lawful: true,
    quote: 'An API key is refused with 403, because it names no person. API keys get 403 with reason …',
    wrong: (world) =>
      world.instead('sign sign-alias daemon daemon-alias', ({ who, regional }) =>
        KEYS.includes(who) && !regional
          ? failed(403, 'Personal connections require the OIDC login', 'personal_identity_required', false, {
              'cache-control': 'no-store',
            })
          : undefined,
      ),
  },
  {
    name: 'acknowledgements are empty objects',
    lawful: true,
    unpublished: true,
    quote: 'Fields of the responses of list, delete, provision and suspend: not shown.',
    wrong: (world) =>
      world.ok('delete provision suspend', (body) => {
        for (const name of Object.keys(body)) delete body[name];
      }),
  },
  {
    name: 'errors have their envelope beside a list of errors and a link to their documentation',
    lawful: true,
    quote: 'Envelope: `{ error: { code: <integer HTTP status>, message: <string>, metadata: … } }`.',
    wrong: (world) =>
      world.json('*', (body, _, { ok, status }) => {
        if (ok || !isJson(body.error)) return;
        body.errors = [{ code: String(status), detail: body.error.message }];
        body.documentation_url = 'https://docs.example/errors';
      }),
  },
];
