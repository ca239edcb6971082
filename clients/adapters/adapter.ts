import { createInterface } from 'node:readline';

/** The kit's request: one call (docs/lab.md). */
export interface Run {
  run: string;
  layer: string;
  url: string;
  base_url: string;
  headers: { authorization: string };
  body: Record<string, unknown>;
  timeout: number;
  retries: 0 | 'default';
  stop_after?: number;
  idle_limit?: number;
  abort?: { when: string; n?: number; ms?: number; times?: number };
  ca?: string;
}

/** The early ends of a call: the caller's abort, and silence. */
export interface Limits {
  /** Aborts when the caller does, when the body falls silent, and when the time of the call is up. */
  readonly signal: AbortSignal;
  readonly aborted: () => boolean;
  /** Bytes came. */
  readonly alive: () => void;
  /** An event is handed out: reports it, and aborts where the run says so. */
  readonly tell: (event?: unknown) => void;
}

const say = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);

function limitsOf(run: Run): Limits & { stop(): void } {
  const caller = new AbortController();
  const silence = new AbortController();
  const abort = () => {
    for (let n = run.abort?.times ?? 1; n > 0; n--) caller.abort();
  };
  let timer: NodeJS.Timeout | undefined;
  const alive = () => {
    clearTimeout(timer);
    if (run.idle_limit !== undefined)
      timer = setTimeout(() => silence.abort(new Error('silent for too long')), run.idle_limit);
  };
  const later = run.abort?.when === 'ms' ? setTimeout(abort, run.abort.ms) : undefined;
  if (run.abort?.when === 'before') abort();
  alive();
  let events = 0;
  return {
    signal: AbortSignal.any([caller.signal, silence.signal, AbortSignal.timeout(run.timeout)]),
    aborted: () => caller.signal.aborted,
    alive,
    tell(event = {}) {
      say({ run: run.run, event });
      if (run.abort?.when === 'event' && ++events === run.abort.n) abort();
    },
    stop() {
      clearTimeout(timer);
      clearTimeout(later);
    },
  };
}

/** The status of an error, wherever its client keeps it. */
const statusOf = (error: unknown): number | undefined => {
  const { status, statusCode, code } = Object(error) as Record<string, unknown>;
  return [status, statusCode, code].find((one): one is number => Number.isInteger(one));
};

/** Says who the adapter is, and answers each run: what `call` puts into `answer`, and how it ends. */
export async function adapt(
  hello: { adapter: string; version: string; layers: string[]; abilities?: string[] },
  call: (run: Run, answer: Record<string, unknown>, tell: Limits['tell'], limits: Limits) => Promise<void>,
): Promise<void> {
  say(hello);
  for await (const text of createInterface({ input: process.stdin })) {
    if (text.trim() === '') continue;
    const run = JSON.parse(text) as Run;
    const answer = {};
    const limits = limitsOf(run);
    try {
      await call(run, answer, limits.tell, limits);
      say({ run: run.run, outcome: 'complete', ...answer });
    } catch (error) {
      const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      const { code } = Object(error) as { code?: unknown };
      const named = typeof code === 'string' ? { code } : {};
      const outcome = limits.aborted() ? 'aborted' : 'error';
      say({ run: run.run, outcome, ...answer, error: { message, status: statusOf(error), ...named } });
    } finally {
      limits.stop();
    }
  }
}
