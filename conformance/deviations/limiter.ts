import { Refusal } from '../../emulator/contract/errors.js';
import type { Limiter } from '../../emulator/domain/limiter.js';
import type { Alterations } from './alterations.js';
import { before, errors, remeta, restatus, served } from './change.js';
import { defineDeviations, together } from './deviation.js';

/** A limiter of one's own, that is told which operation asks and what the limit is. */
const limits =
  (
    create: (usual: Limiter, now: () => number, limit: () => number, operation: () => string) => Limiter,
  ): (() => Alterations) =>
  () => {
    let operation = '';
    let limit = () => 0;
    let now = () => 0;
    return {
      routes: (table) =>
        table.map((row) => ({
          ...row,
          handle(call) {
            operation = `${row.operation} ${(call.input as { kind?: string } | undefined)?.kind ?? ''}`.trim();
            return row.handle(call);
          },
        })),
      clock(clock) {
        now = () => clock.now();
        return clock;
      },
      pipelineDeps(deps) {
        limit = () => deps.settings().turns_per_minute;
        return deps;
      },
      limiter: (usual) =>
        create(
          usual,
          () => now(),
          () => limit(),
          () => operation,
        ),
    };
  };

/** Turns of the operations are not counted. */
const free = (...operations: string[]) =>
  limits((usual, _now, _limit, operation) => ({
    ...usual,
    take: (caller) => (operations.some((one) => operation().startsWith(one)) ? () => {} : usual.take(caller)),
  }));

/** Counts turns under another name than the caller's. */
const counted = (as: (caller: string, operation: string) => string) =>
  limits((usual, _now, _limit, operation) => ({ ...usual, take: (caller) => usual.take(as(caller, operation())) }));

const tooMany = (seconds: number) =>
  new Refusal('rate_limited', { headers: { 'retry-after': String(Math.max(1, Math.ceil(seconds))) } });

const isTurn = ['chat', 'invoke', 'sign'] as const;

export const LIMITER = defineDeviations([
  {
    name: 'limit-not-there',
    requirement: 'CHAT-17',
    description: 'Any number of turns is taken.',
    alters: { limiter: (usual) => ({ ...usual, take: () => () => {} }) },
    caughtBy: [
      'limiter/chat',
      'limiter/signatures',
      'limiter/message-and-header',
      'sign/counts-as-a-turn',
      'sign/counts-with-chat',
    ],
  },
  {
    name: 'limit-one-too-many',
    requirement: 'CHAT-17',
    description: 'One turn more than the limit is taken.',
    alters: limits((usual, _now, limit) => {
      const used = new Map<string, number>();
      return {
        take(caller) {
          const key = `${caller} ${limit()}`;
          try {
            return usual.take(caller);
          } catch (error) {
            const times = used.get(key) ?? 0;
            used.set(key, times + 1);
            if (times === 0) return () => {};
            throw error;
          }
        },
        clear() {
          used.clear();
          usual.clear();
        },
      };
    }),
    caughtBy: ['limiter/chat', 'sign/counts-as-a-turn', 'limiter/signatures'],
  },
  {
    name: 'limit-is-503',
    requirement: 'CHAT-17',
    description: 'Over the limit is 503.',
    alters: restatus('rate_limited', 429, 503),
    caughtBy: ['limiter/chat', 'limiter/signatures', 'order/limiter-last', 'limiter-counts/what-is-limited'],
  },
  {
    name: 'limit-is-for-good',
    requirement: 'CHAT-17',
    description: 'rate_limited says that trying again does not help.',
    alters: remeta('rate_limited', 429, { retryable: false }),
    caughtBy: ['limiter/chat', 'limiter/message-and-header', 'sign/counts-as-a-turn'],
  },
  {
    name: 'limit-with-another-message',
    requirement: 'CHAT-17',
    description: 'The message of the 429 is `Slow down`.',
    alters: errors(({ status, error }) => (status === 429 ? { error: { ...error, message: 'Slow down' } } : undefined)),
    caughtBy: ['limiter/message-and-header', 'limiter/signatures', 'sign/counts-as-a-turn', 'sign/counts-with-chat'],
  },
  {
    name: 'limit-without-retry-after',
    requirement: 'CHAT-17',
    description: 'The 429 has no Retry-After.',
    alters: served((answer) => {
      if (answer.status !== 429) return answer;
      const { 'retry-after': _, ...headers } = answer.headers;
      return { ...answer, headers };
    }),
    caughtBy: ['limiter/message-and-header', 'sign/retry-after', 'limiter/retry-after-holds'],
  },
  {
    name: 'limit-retry-after-in-milliseconds',
    requirement: 'CHAT-17',
    description: 'Retry-After of the 429 counts milliseconds.',
    alters: served((answer) => {
      const after = answer.headers['retry-after'];
      return answer.status === 429 && after !== undefined
        ? { ...answer, headers: { ...answer.headers, 'retry-after': String(Number(after) * 1_000) } }
        : answer;
    }),
    caughtBy: ['limiter/message-and-header', 'limiter/retry-after-holds', 'sign/retry-after'],
  },
  {
    name: 'limit-retry-after-a-second',
    requirement: 'CHAT-17',
    description: 'Retry-After of the 429 is always 1.',
    alters: served((answer) =>
      answer.status === 429 ? { ...answer, headers: { ...answer.headers, 'retry-after': '1' } } : answer,
    ),
    caughtBy: ['limiter/retry-after-holds', 'sign/retry-after'],
  },
  {
    name: 'limit-not-for-invoke',
    requirement: 'CHAT-17',
    description: 'invoke is not limited.',
    alters: free('invoke'),
    caughtBy: [
      'limiter/message-and-header',
      'limiter-counts/what-counts',
      'limiter-counts/what-is-limited',
      'order/limiter-last',
    ],
  },
  {
    name: 'limit-not-for-replies',
    requirement: 'CHAT-17',
    description: 'Answers to questions are not counted.',
    alters: free('chat reply'),
    caughtBy: ['limiter-counts/what-counts', 'limiter-counts/what-is-limited'],
  },
  {
    name: 'limit-not-for-signing',
    requirement: 'SIGN-8',
    description: 'Signing is not limited.',
    alters: free('sign'),
    caughtBy: ['limiter/signatures', 'sign/counts-as-a-turn', 'sign/counts-with-chat', 'sign/retry-after'],
  },
  {
    name: 'limit-of-its-own-for-signing',
    requirement: 'SIGN-8',
    description: 'Signatures and chat are limited apart.',
    alters: counted((caller, operation) => (operation === 'sign' ? `sign ${caller}` : caller)),
    caughtBy: ['limiter/signatures', 'sign/counts-with-chat'],
  },
  {
    name: 'limit-for-all-together',
    requirement: 'CHAT-17',
    description: 'All callers share one limit.',
    alters: counted(() => 'all'),
    caughtBy: ['limiter/per-member', 'auth/own-key-is-a-caller-of-its-own'],
  },
  {
    name: 'limit-judged-first',
    requirement: 'CHAT-17',
    description: 'A turn is counted before its state is looked at.',
    alters: () => {
      let limiter: Limiter | undefined;
      return together(
        {
          limiter(usual) {
            limiter = usual;
            return { ...usual, take: () => () => {} };
          },
        },
        before(isTurn, ({ caller }) => {
          limiter?.take(caller.id);
          return undefined;
        }),
      );
    },
    caughtBy: [
      'limiter-counts/refused-do-not-count',
      'limiter-counts/busy-does-not-count',
      'limiter-counts/judged-last',
      'order/limiter-last',
      'limits/refused-requests-are-free',
    ],
  },
  {
    name: 'limit-counts-refused-turns',
    requirement: 'CHAT-17',
    description: 'A turn that is refused by the limit counts on.',
    alters: limits((usual, now, limit) => {
      const times = new Map<string, number[]>();
      return {
        take(caller) {
          if (limit() === 0) return () => {};
          const recent = (times.get(caller) ?? []).filter((at) => at + 60_000 > now());
          recent.push(now());
          times.set(caller, recent);
          if (recent.length > limit()) throw tooMany(60);
          return () => {};
        },
        clear() {
          times.clear();
          usual.clear();
        },
      };
    }),
    caughtBy: ['limiter/sliding', 'limits/sliding-minute'],
  },
  {
    name: 'limit-by-the-minute',
    requirement: 'CHAT-17',
    description: 'Turns are counted from minute to minute of the clock.',
    alters: limits((usual, now, limit) => {
      let minute = -1;
      const counts = new Map<string, number>();
      return {
        take(caller) {
          if (limit() === 0) return () => {};
          const current = Math.floor(now() / 60_000);
          if (current !== minute) counts.clear();
          minute = current;
          const count = (counts.get(caller) ?? 0) + 1;
          if (count > limit()) throw tooMany(60 - ((now() / 1_000) % 60));
          counts.set(caller, count);
          return () => {};
        },
        clear() {
          counts.clear();
          usual.clear();
        },
      };
    }),
    caughtBy: ['limiter/sliding', 'limits/sliding-minute'],
  },
  {
    name: 'limit-starts-over-after-a-refusal',
    requirement: 'CHAT-17',
    description: 'A minute begins with its first turn, and all turns of it are forgotten together.',
    alters: limits((usual, now, limit) => {
      const windows = new Map<string, { from: number; count: number }>();
      return {
        take(caller) {
          if (limit() === 0) return () => {};
          let window = windows.get(caller);
          if (!window || now() >= window.from + 60_000) window = { from: now(), count: 0 };
          windows.set(caller, window);
          if (window.count >= limit()) throw tooMany((window.from + 60_000 - now()) / 1_000);
          window.count++;
          return () => {};
        },
        clear() {
          windows.clear();
          usual.clear();
        },
      };
    }),
    caughtBy: ['limiter/sliding', 'limits/sliding-minute'],
  },
  {
    name: 'limit-counts-on-when-it-is-put-again',
    requirement: 'EMU-5',
    description: 'Putting the limit that there is clears nothing.',
    alters: { limiter: (usual) => ({ ...usual, clear() {} }) },
    caughtBy: ['limits/control'],
  },
  {
    name: 'limit-counts-on-when-it-changes',
    requirement: 'EMU-5',
    description: 'Changing the limit clears nothing.',
    alters: limits((_usual, now, limit) => {
      const times = new Map<string, number[]>();
      return {
        take(caller) {
          if (limit() === 0) return () => {};
          const recent = (times.get(caller) ?? []).filter((at) => at + 60_000 > now());
          if (recent.length >= limit()) throw tooMany(60);
          times.set(caller, [...recent, now()]);
          return () => {};
        },
        clear() {},
      };
    }),
    caughtBy: ['limiter/changing-clears', 'limits/control'],
  },
  {
    name: 'limit-of-nought-is-none',
    requirement: 'EMU-5',
    description: 'With a limit of 0 a caller has a turn a minute.',
    alters: limits((usual, now, limit) => {
      let last = Number.NEGATIVE_INFINITY;
      return {
        take(caller) {
          if (limit() !== 0) return usual.take(caller);
          if (now() < last + 60_000) throw tooMany(60);
          last = now();
          return () => {};
        },
        clear() {
          last = Number.NEGATIVE_INFINITY;
          usual.clear();
        },
      };
    }),
    caughtBy: ['limiter/changing-clears', 'limits/control'],
  },
  {
    name: 'limit-for-everything',
    requirement: 'CHAT-17',
    description: 'Reads and writes of interns count as turns.',
    alters: () => {
      let limiter: Limiter | undefined;
      return together(
        {
          limiter(usual) {
            limiter = usual;
            return usual;
          },
        },
        before(['list', 'get', 'create', 'update', 'provision', 'delete', 'suspend', 'daemon'], ({ caller }) => {
          limiter?.take(caller.id);
          return undefined;
        }),
      );
    },
    caughtBy: ['limiter-counts/only-turns', 'limits/lifecycle-is-free'],
  },
  {
    name: 'limit-takes-steering-twice',
    requirement: 'CHAT-17',
    description: 'A steered prompt counts twice.',
    alters: {
      runs: (usual) => ({
        ...usual,
        async prompt(request) {
          const result = await usual.prompt(request);
          if ('steered' in result) request.admit();
          return result;
        },
      }),
    },
    caughtBy: ['limiter-counts/what-counts'],
  },
]);
