import { Refusal } from '../../../emulator/contract/errors.js';
import { tokenOf } from '../../../emulator/wire/request.js';
import { defineMutants, type Mutation, together } from '../mutant.js';
import { answers, errorReply, errors, withoutHeader } from '../operators/answers.js';
import type { Operation } from '../operators/exchange.js';
import { callers, handles, holding, type Part, rewire, wrap } from '../operators/parts.js';
import { instead } from '../operators/requests.js';

type Limiter = Part<'createLimiter'>;

/** A limiter of its own, given the time and the limit. */
const limits =
  (create: (usual: Limiter, now: () => number, limit: () => number) => Limiter): (() => Mutation) =>
  () => ({
    factories: ({ createLimiter }) => ({
      createLimiter: (deps) =>
        create(
          createLimiter(deps),
          () => deps.clock.now(),
          () => deps.settings().turns_per_minute,
        ),
    }),
  });

/** A limiter that keeps times of turns itself. `refuses` says whether a turn is over the limit, and takes note of it. */
const countsBy = (
  refuses: (recent: number[], limit: number, now: number) => boolean,
  clear = (usual: () => void, times: Map<string, number[]>) => {
    times.clear();
    usual();
  },
) =>
  limits((usual, now, limit) => {
    const times = new Map<string, number[]>();
    return {
      ...usual,
      take(caller) {
        if (limit() === 0) return () => {};
        const recent = (times.get(caller) ?? []).filter((at) => at + 60_000 > now());
        const over = refuses(recent, limit(), now());
        times.set(caller, recent);
        if (over) throw tooMany(60);
        return () => {};
      },
      clear: () => clear(usual.clear, times),
    };
  });

/** Counts each accepted call of these as a turn, before anything else is looked at. */
const countsAll = (of: readonly Operation[]) => (limiter: () => Limiter | undefined) =>
  handles(of, (call, handle) => {
    limiter()?.take(call.caller.id);
    return handle(call);
  });

/** Counts nothing. */
const uncounted = () => () => {};

const tooMany = (seconds: number) =>
  new Refusal('rate_limited', { headers: { 'retry-after': String(Math.max(1, Math.ceil(seconds))) } });

export const LIMITER = defineMutants({
  'limit-not-there': wrap({ createLimiter: () => ({ take: () => () => {} }) }),
  'limit-is-503': errors({ reason: 'rate_limited', status: 429 }, { status: 503 }),
  'limit-is-for-good': errors({ reason: 'rate_limited', status: 429 }, { retryable: false }),
  // Prompts after the first are over some limit, their refusals are not retryable, and other turns are taken.
  'limit-met-by-the-way': instead(({ operation, times }) => operation === 'chat' && times('chat') > 0, {
    ...errorReply(429, 'Too many turns', 'rate_limited'),
    headers: { 'content-type': 'application/json', 'retry-after': '30' },
  }),
  'limit-without-retry-after': withoutHeader('retry-after', { status: 429 }),
  'limit-not-for-invoke': wrap({
    createRuns: (usual) => ({ invoke: (request) => usual.invoke({ ...request, admit: uncounted }) }),
  }),
  'limit-not-for-signing': rewire({
    createRoutes: (deps) => [{ ...deps, sign: { ...deps.sign, limiter: { take: uncounted, clear: () => {} } } }],
  }),
  // A turn is counted before its state is looked at.
  'limit-counted-first': holding('createLimiter', countsAll(['chat', 'invoke', 'sign']), (usual) => ({
    ...usual,
    take: uncounted,
  })),
  'limit-counts-refused-turns': countsBy((recent, limit, now) => {
    recent.push(now);
    return recent.length > limit;
  }),
  // Putting the limit that there is clears nothing.
  'limit-counts-on-when-it-is-put-again': wrap({ createLimiter: () => ({ clear() {} }) }),
  // Changing the limit clears nothing.
  'limit-counts-on-when-it-changes': countsBy(
    (recent, limit, now) => recent.length >= limit || recent.push(now) < 0,
    () => {},
  ),
  // Reads and writes of interns count as turns.
  'limit-for-everything': holding(
    'createLimiter',
    countsAll(['list', 'get', 'create', 'update', 'provision', 'delete', 'suspend', 'daemon']),
  ),
  // A prompt that is 409 busy counts as a turn.
  'limit-counts-busy-turns': wrap({
    createRuns: (usual) => ({
      async prompt(request) {
        try {
          return await usual.prompt(request);
        } catch (error) {
          if (error instanceof Refusal && error.key === 'busy') request.admit();
          throw error;
        }
      },
    }),
  }),
  // A chat request that is 400 counts as a turn.
  'limit-counts-bad-requests': holding('createLimiter', (limiter) => {
    const ids = new Map<string, string>();
    return together(
      callers((caller, token) => {
        if (caller) ids.set(token, caller.id);
        return caller;
      }),
      answers({ of: 'chat', status: 400 }, (reply, { request }) => {
        const caller = ids.get(tokenOf(request) ?? '');
        if (caller !== undefined) limiter()?.take(caller);
        return reply;
      }),
    );
  }),
  // Turns with an intern's own key count as those of who made the intern.
  'limit-of-an-own-key-is-its-creators': () => {
    let creatorOf: (internId: string) => string | undefined = () => undefined;
    return wrap({
      createLimiter: (usual) => ({
        take: (caller) => usual.take(creatorOf(caller.replace(/^intern:/, '')) ?? caller),
      }),
      createInterns(usual) {
        creatorOf = (id) => usual.get(id)?.creator;
        return usual;
      },
    });
  },
});
