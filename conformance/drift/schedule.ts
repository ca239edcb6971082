import type { RecordedExchange } from '../../emulator/recording/format.js';
import type { PlacedExchange } from '../../emulator/recording/read.js';

/** The longest pause, in ms. A longer recorded one is cut to it, because waiting longer shows nothing more. */
const LONGEST_PAUSE = 3_600_000;

/**
 * When each exchange had ended. A stream's last write shows it. So does the order of lines, which is the order in which
 * answers ended: it shows the end of a stream that was silent before its client left.
 */
function recordedEnds(scenario: readonly PlacedExchange[]): Map<RecordedExchange, number> {
  const ends = new Map<RecordedExchange, number>();
  const ended: { n: number; end: number }[] = [];
  for (const { exchange } of [...scenario].sort((a, b) => a.line - b.line)) {
    const { n, at, writes } = exchange;
    const during = ended.filter((other) => other.n > n).map(({ end }) => end + 0.001);
    const end = during.reduce((latest, one) => Math.max(latest, one), at + (writes?.at(-1)?.at ?? 0));
    ends.set(exchange, end);
    ended.push({ n, end });
  }
  return ends;
}

/** The alias of the intern that an exchange was about. */
export const internAliasOf = ({ request }: RecordedExchange): string | undefined =>
  /\/interns\/\$(intern\.\d+)/.exec(request.path)?.[1];

export const endsRuns = ({ operation, status }: RecordedExchange): boolean =>
  (operation === 'suspend' || operation === 'delete') && (status ?? 500) < 300;

/** Whether the exchange streamed. An intern streams in one chat at a time. */
const streams = ({ operation, status, writes }: RecordedExchange) =>
  operation === 'chat' && status === 200 && writes !== undefined;

interface Instant {
  readonly exchange: RecordedExchange;
  /** As recorded, ms. */
  readonly time: number;
  readonly kind: 'request' | 'write' | 'over';
}

/** The order at one time: first the writes of earlier requests, then a request, then its own writes. */
const placeOf = ({ exchange, kind }: Instant) => (kind === 'request' ? exchange.n - 0.5 : exchange.n);

/**
 * When the requests of a scenario are sent, and what overlapped streams say between them (REC-3). Times in whole ms.
 *
 * Keeps the recorded gaps. Between a request and the earlier text of a stream there is at least 1 ms, so that a clock
 * that stands still in between keeps their order.
 */
export function scheduleOf(scenario: readonly PlacedExchange[]) {
  const ends = recordedEnds(scenario);
  const all = scenario.map(({ exchange }) => exchange);
  /** When a later request came that a run did not outlive; what it said came before, however late it was recorded. */
  const outlived = (exchange: RecordedExchange, by: (later: RecordedExchange) => boolean) => {
    const later = all.find((one) => one.n > exchange.n && internAliasOf(one) === internAliasOf(exchange) && by(one));
    return later?.at ?? Number.POSITIVE_INFINITY;
  };
  const endOf = (exchange: RecordedExchange) =>
    Math.min(ends.get(exchange) ?? exchange.at, exchange.writes ? outlived(exchange, streams) : exchange.at);
  const isOverlapped = (exchange: RecordedExchange) =>
    exchange.writes !== undefined && all.some(({ n, at }) => n > exchange.n && at < endOf(exchange));

  const instants = all
    .flatMap((exchange): Instant[] => {
      const request: Instant = { exchange, time: exchange.at, kind: 'request' };
      if (!isOverlapped(exchange)) return [request];
      const latest = outlived(exchange, endsRuns);
      const writes = (exchange.writes ?? []).map(
        ({ at }): Instant => ({ exchange, time: Math.min(exchange.at + at, latest), kind: 'write' }),
      );
      return [request, ...writes, { exchange, time: endOf(exchange), kind: 'over' }];
    })
    .sort((a, b) => a.time - b.time || placeOf(a) - placeOf(b));

  const sent = new Map<RecordedExchange, number>();
  const said = new Map<RecordedExchange, number[]>();
  const over = new Map<RecordedExchange, number>();
  let cut = 0;
  let now = 0;
  let last: Instant['kind'] = 'request';
  for (const { exchange, time, kind } of instants) {
    const isRequest = kind === 'request';
    const earliest = isRequest === (last === 'request') ? now : now + 1;
    const wanted = Math.max(earliest, Math.floor(time) - cut);
    cut += Math.max(0, wanted - now - LONGEST_PAUSE);
    now = Math.min(wanted, now + LONGEST_PAUSE);
    last = kind;
    if (isRequest) sent.set(exchange, now);
    else if (kind === 'over') over.set(exchange, now);
    else said.set(exchange, [...(said.get(exchange) ?? []), now - (sent.get(exchange) ?? 0)]);
  }
  return {
    /** The recorded time by which an exchange had ended, as far as the recording shows it. */
    endOf,
    /** Since the scenario began. */
    sentAt: (exchange: RecordedExchange): number => sent.get(exchange) ?? 0,
    /** Of a stream that other requests came during: since its request was sent, for each of its writes. */
    saidAt: (exchange: RecordedExchange): readonly number[] | undefined => said.get(exchange),
    /** Since the scenario began: when all of a stream that other requests came during was said, or its client left. */
    overAt: (exchange: RecordedExchange): number | undefined => over.get(exchange),
    end: now,
  };
}
export type DriftSchedule = ReturnType<typeof scheduleOf>;
