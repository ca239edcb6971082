import { createEventNames } from '../../emulator/disturbances/events.js';
import type { ExchangeObserver, ObserveExchange } from '../../emulator/disturbances/observer.js';
import { createEventSplitter } from '../../emulator/wire/streams.js';
import { jsonOf, recordOf } from '../probe/json.js';
import type { SeenRequest, SeenWrite } from './types.js';

type Draft = { -readonly [Key in keyof SeenRequest]: SeenRequest[Key] } & { writes?: SeenWrite[] };

/** The longest part of a body that is kept, in characters. */
const KEPT = 65_536;

/** A client that sends the same request this often in a row, to the same answer, polls. */
const POLLS = 3;

/** A client that `Retry-After` asks to wait counts as busy for at most this many seconds. */
const LONGEST_WAIT = 60;

const errorOf = (answer: string) => {
  const { error } = recordOf(jsonOf(answer));
  const { reason, retryable } = recordOf(recordOf(error).metadata);
  return {
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(typeof retryable === 'boolean' ? { retryable } : {}),
  };
};

/** A `Retry-After` in seconds. */
function secondsOf(value: string | null): number | undefined {
  const seconds = value === null ? Number.NaN : Number(value);
  return Number.isFinite(seconds) ? seconds : undefined;
}

/** The observers of a run, as it goes on. */
export interface Watch {
  readonly observe: ObserveExchange;
  readonly requests: readonly SeenRequest[];
  /** Kinds of the disturbances that have happened. */
  readonly disturbed: readonly string[];
  /** Time of the last sign of life. */
  lastActivity(): number;
  /** The time until which `Retry-After` asked the client to wait. */
  askedUntil(): number;
  /** Time of the first request of a poll that goes on; undefined if the client does not poll. */
  pollsSince(): number | undefined;
  /** Notes a sign of life, such as printed output. */
  noteActivity(): void;
}

/** Watches the requests of one run. Times are ms since it began. */
export function createWatch(now: () => number): Watch {
  const began = now();
  const requests: Draft[] = [];
  const disturbed: string[] = [];
  const counts = new Map<string, number>();
  let last = began;
  let asked = began;
  const tick = () => {
    const at = now();
    last = Math.max(last, at);
    return Math.round((at - began) * 10) / 10;
  };

  return {
    requests,
    disturbed,
    lastActivity: () => last,
    askedUntil: () => asked,
    pollsSince() {
      const last = requests.at(-1);
      if (last?.method !== 'GET' || last.ended !== 'complete') return undefined;
      const isLast = ({ path, answer, credential }: Draft) =>
        path === last.path && answer === last.answer && credential === last.credential;
      const row = requests.slice(requests.findLastIndex((request) => !isLast(request)) + 1);
      return row[POLLS - 1] === undefined ? undefined : began + (row[0]?.at ?? 0);
    },
    noteActivity: () => void tick(),
    observe({ operation, method, path, headers, body }): ExchangeObserver {
      const nth = (counts.get(operation) ?? 0) + 1;
      counts.set(operation, nth);
      const credential = headers.get('authorization');
      const key = headers.get('idempotency-key');
      const draft: Draft = {
        n: requests.length + 1,
        operation,
        nth,
        method,
        path,
        at: tick(),
        body: body.slice(0, KEPT),
        answer: '',
        ended: 'open',
        ...(credential === null ? {} : { credential }),
        ...(key === null ? {} : { idempotencyKey: key }),
      };
      requests.push(draft);
      const decoder = new TextDecoder();
      let split: ReturnType<typeof createEventSplitter> | undefined;
      let name: ReturnType<typeof createEventNames> | undefined;
      return {
        acted(status, made) {
          tick();
          draft.acted = status;
          if (made !== undefined) draft.madeId = made;
        },
        answered(status, answerHeaders, refusal) {
          draft.answeredAt = tick();
          draft.status = status;
          if (refusal !== undefined) Object.assign(draft, errorOf(refusal));
          const after = secondsOf(answerHeaders.get('retry-after'));
          if (after !== undefined) {
            draft.retryAfter = after;
            asked = Math.max(asked, now() + 1_000 * Math.min(after, LONGEST_WAIT));
          }
          if (!/event-stream/.test(answerHeaders.get('content-type') ?? '')) return;
          draft.writes = [];
          split = createEventSplitter();
          name = createEventNames();
        },
        wrote(bytes) {
          const at = tick();
          if (draft.answer.length < KEPT) draft.answer += decoder.decode(bytes, { stream: true });
          if (split === undefined || name === undefined) return;
          for (const text of split(bytes)) {
            const event = name(text);
            const names = [event.before, event.after].filter((one) => one !== undefined);
            draft.writes?.push({ at, text, names });
          }
        },
        disturbed(kind) {
          tick();
          draft.disturbed = kind;
          disturbed.push(kind);
        },
        ended(how) {
          if (draft.ended !== 'open') return;
          draft.endedAt = tick();
          draft.ended = how;
        },
      };
    },
  };
}
