import { Refusal } from '../../../emulator/contract/errors.js';
import { through } from '../../../emulator/wire/streams.js';
import { failed } from '../answers.js';
import { bearer, everyNth, isMember, runsOf, seen } from '../lawful30/helpers.js';
import type { Way } from '../world.js';
import { memberOf } from './helpers.js';

const MINUTE = 60_000;
const TURNS = 30;
const STREAMS = 3;

export const limits: readonly Way[] = [
  {
    // How the limiter counts is not shown, and what it counts together is chosen; so is how long `busy` says to wait.
    name: 'the limiter counts everybody together in minutes of the clock: 30, and busy says 20 seconds',
    lawful: true,
    quote: 'Numeric rate limits of the chat turn limiter: not shown. … (C: … per member …, sliding 60 s)',
    factories: (usual, hit) => ({
      createLimiter: (deps) => {
        let minute = 0;
        let count = 0;
        return {
          ...usual.createLimiter(deps),
          take() {
            const now = deps.clock.now();
            const current = Math.floor(now / MINUTE);
            if (current !== minute) count = 0;
            minute = current;
            if (count >= TURNS) {
              hit();
              const seconds = Math.max(1, Math.ceil(((minute + 1) * MINUTE - now) / 1_000));
              throw new Refusal('rate_limited', { headers: { 'retry-after': String(seconds) } });
            }
            count += 1;
            let given = false;
            return () => {
              if (!given && minute === current) count -= 1;
              given = true;
            };
          },
          clear() {
            count = 0;
          },
        };
      },
    }),
    wrong: (world) =>
      world.head('chat', (headers, _call, { status }) => {
        if (status === 409 && headers.has('retry-after')) headers.set('retry-after', '20');
      }),
  },
  {
    // A limiter of turns may count those that go on at once.
    name: 'three streams at once for a member, a fourth is too many turns',
    lawful: true,
    quote: 'Chat counts against the chat turn limiter … Numeric rate limits of the chat turn limiter: not shown.',
    wrong: (world) => {
      const open = new Map<string, Set<{ readonly at: number }>>();
      const { now } = world.setting.host;
      return async (call, next) => {
        if (call.op !== 'chat' || !isMember(call.who)) return next();
        const own = open.get(memberOf(call.who)) ?? new Set();
        open.set(memberOf(call.who), own);
        // A stream that nobody reads any more counts for ten minutes at most.
        for (const one of own) if (one.at + 10 * MINUTE < now()) own.delete(one);
        if (own.size >= STREAMS) {
          const { stream, messages } = call.body;
          const record = await seen(world, call.id, bearer(call.request));
          if (record?.status === 'running' && stream === true && Array.isArray(messages) && messages.length > 0) {
            world.hit();
            return failed(429, 'Too many intern turns at once', 'rate_limited', true, { 'retry-after': '5' });
          }
        }
        const response = await next();
        if (response.status !== 200) return response;
        const slot = { at: now() };
        own.add(slot);
        const close = () => void own.delete(slot);
        call.request.signal.addEventListener('abort', close);
        return through(response, {
          sends(piece) {
            if (piece === undefined) close();
            return piece;
          },
          left(cancel) {
            close();
            return cancel();
          },
          broken: close,
        });
      };
    },
  },
  {
    // All of a workspace see its interns and talk to them: who comes later meanwhile is said that the intern is busy.
    name: 'a colleague talks to an intern of the workspace now and then, for ten seconds',
    lawful: true,
    quote:
      'while a chat run streams, a prompt without or with another session … → 409 `busy`, retryable, with `Retry-After`',
    wrong: (world) => {
      const due = everyNth(5);
      return async (call, next) => {
        const response = await next();
        if (call.op !== 'get' || !response.ok || call.who !== 'api_key') return response;
        const { status } = (await response.clone().json()) as { status: string };
        const open = (await runsOf(world, call.id)).some((run) => run.status !== 'ended');
        if (status !== 'running' || open || !due()) return response;
        const body = { messages: [{ role: 'user', content: 'script: slow' }], stream: true };
        const talk = await world.ask('POST', `/interns/${call.id}/chat/completions`, { as: 'peer_api_key', body });
        if (talk.ok) world.hit();
        void talk.text().catch(() => {});
        return response;
      };
    },
  },
];
