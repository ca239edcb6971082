import { failed } from '../answers.js';
import type { Way } from '../world.js';
import { heard, now, replyOf, sessionOf } from './tools.js';

const STEERED =
  'When a prompt is sent to a session that already has a run going, the prompt is delivered into that run, and the reported status is steered.';
const steered = (session: string) => Response.json({ session_id: session, status: 'steered' }, { status: 202 });

export const sessions: readonly Way[] = [
  // plain
  {
    name: 'busy-session-409',
    quote: STEERED,
    wrong: (w) =>
      w.later('chat', (response) =>
        response.status === 202 ? failed(409, 'The session is busy', 'session_busy', true) : undefined,
      ),
  },
  // plain
  {
    name: 'steered-without-status',
    quote: STEERED,
    wrong: (w) =>
      w.ok('chat invoke', (body) => {
        if (body.status === 'steered') delete body.status;
      }),
  },
  // subtle
  {
    name: 'steered-but-dropped',
    quote: STEERED,
    wrong: (w) => {
      const open = new Map<string, number>();
      const watch = heard(
        w,
        ({ session, at }) => open.set(session, at),
        (session) => open.delete(session),
      );
      return (call, next) => {
        const at = call.op === 'chat' ? open.get(sessionOf(call)) : undefined;
        if (at === undefined || now(w) - at > 299_000) return watch(call, next);
        if (replyOf(call) === undefined) {
          if (!call.who.endsWith('api_key')) return watch(call, next);
          w.hit();
          return Promise.resolve(steered(sessionOf(call)));
        }
        return watch(call, next);
      };
    },
  },
  // state
  {
    name: 'answered-session-stays-busy',
    quote: STEERED,
    wrong: (w) => {
      const answered = new Set<string>();
      return async (call, next) => {
        const session = sessionOf(call);
        if (call.op === 'chat' && replyOf(call) === undefined && answered.has(session)) {
          const response = await next();
          if (response.status !== 200) return response;
          await response.body?.cancel();
          w.hit();
          return steered(session);
        }
        const response = await next();
        if (replyOf(call) !== undefined && response.ok) answered.add(session);
        return response;
      };
    },
  },
  // state
  {
    name: 'one-run-for-all-sessions',
    quote: STEERED,
    wrong: (w) => {
      const open = new Map<string, { readonly session: string; readonly at: number }>();
      const watch = heard(w, ({ session, at, who, intern }) => open.set(`${who} ${intern}`, { session, at }));
      return async (call, next) => {
        const key = `${call.who} ${call.id}`;
        const other = open.get(key);
        const session = sessionOf(call);
        if (replyOf(call) !== undefined && other?.session === session) open.delete(key);
        const others = other !== undefined && other.session !== session && now(w) - other.at < 300_000;
        if (call.op !== 'chat' || replyOf(call) !== undefined || session === '' || !others) return watch(call, next);
        w.hit();
        return steered(session);
      };
    },
  },
];
