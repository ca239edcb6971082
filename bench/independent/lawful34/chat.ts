import { Refusal } from '../../../emulator/contract/errors.js';
import { failed } from '../answers.js';
import { lastMessage } from '../lawful31/helpers.js';
import type { Way } from '../world.js';
import { asked } from './helpers.js';

const MOST = 65_536;
const MODES = ['manual', 'self-drive'];

export const chat: readonly Way[] = [
  {
    // There is one way to be answered, and one mode that needs no word.
    name: 'chat streams unless it is asked otherwise, and takes any unknown mode for manual',
    lawful: true,
    unpublished: true,
    quote: 'Method, path and parameter names: not shown. The stated inputs and behaviour are: …',
    wrong: (world) =>
      world.asked('chat', ({ body }) => {
        const { stream, approval_mode: mode } = body;
        if (!Array.isArray(body.messages)) return undefined;
        const odd = mode !== undefined && !MODES.includes(mode as string);
        if (!odd && stream !== undefined && stream !== false) return undefined;
        return { ...body, stream: true, ...(odd ? { approval_mode: 'manual' } : {}) };
      }),
  },
  {
    // An answer is in words, and the intern makes of it what it can. Which are rejected is not stated.
    name: 'an intern takes any answer, and one that it does not understand for a no',
    lawful: true,
    unpublished: true,
    quote: 'Its `tool_call_id` is the id of that tool call, and its `content` is the answer.',
    factories: (usual, hit) => ({
      createRuns: (deps) => {
        const runs = usual.createRuns(deps);
        const reply: typeof runs.reply = async (request) => {
          const refused = (error: unknown) => {
            if (!(error instanceof Refusal) || error.key !== 'unacceptable_answer') throw error;
            hit();
          };
          try {
            return await runs.reply(request);
          } catch (error) {
            refused(error);
          }
          try {
            return await runs.reply({ ...request, content: 'cancel' });
          } catch (error) {
            refused(error);
          }
          return runs.reply({ ...request, content: '{"action":"decline"}' });
        };
        return { ...runs, reply };
      },
    }),
  },
  {
    // A session begins with what the service answers; one of the caller's own making is nowhere stated.
    name: 'chat continues sessions that it or invoke has issued, and no others',
    lawful: true,
    unpublished: true,
    quote: 'session_id | string | Sent on a second request to answer a paused run.',
    wrong: (world) => {
      const issued = new Set<string>();
      const name = (id: string, session: unknown) => `${id.toLowerCase()} ${String(session)}`;
      const listening = world.stream(({ id }) => (_event, chunk) => {
        if (typeof chunk?.session_id === 'string') issued.add(name(id, chunk.session_id));
        return undefined;
      });
      return async (call, next) => {
        const { op, body, id } = call;
        const { session_id } = body;
        if (op === 'chat' && typeof session_id === 'string' && !issued.has(name(id, session_id))) {
          const record = await asked(world, call);
          const prompts = body.stream === true && lastMessage(call)?.role === 'user';
          if (record?.status === 'running' && prompts) {
            world.hit();
            return failed(404, 'Session not found', 'not_found');
          }
        }
        const response = await listening(call, next);
        if (op === 'invoke' && response.ok)
          issued.add(name(id, ((await response.clone().json()) as { session_id?: unknown }).session_id));
        return response;
      };
    },
  },
  {
    // Disk and configuration are kept; what a session remembers was in the runtime.
    name: 'a suspend forgets the sessions of an intern',
    lawful: true,
    quote: 'Stops the runtime, keeping disk and configuration.',
    factories: (usual, hit) => ({
      createRuns: (deps) => {
        const runs = usual.createRuns(deps);
        const endAll: typeof runs.endAll = (id, cause) => {
          runs.endAll(id, cause);
          if (cause !== 'suspended' || id === undefined) return;
          hit();
          runs.forget(id);
        };
        return { ...runs, endAll };
      },
    }),
  },
  {
    // The cap is stated for create, update, delete and signing.
    name: 'chat and invoke take 64 kibibytes at most',
    lawful: true,
    unpublished: true,
    quote: 'Request body size | 1048576 bytes | create, update, delete, signing; larger gives 413.',
    wrong: (world) =>
      world.instead('chat invoke', async (call) => {
        if (Buffer.byteLength(call.text) <= MOST || (await asked(world, call)) === undefined) return undefined;
        return failed(413, 'The prompt is too long', 'payload_too_large');
      }),
  },
];
