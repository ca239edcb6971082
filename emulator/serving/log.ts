import type { Clock } from '../clock/clock.js';
import type { DaemonRequest } from '../daemon/daemon.js';
import type { RequestRecord } from '../http/request-log.js';
import type { PlainResponse } from '../http/response.js';

/** How many waits are remembered, so that each is reported once. */
const REPORTED = 1_000;

/**
 * Reports waits on a clock that stands still, once for each waiting thing: its client hangs until somebody knows why.
 * `who` begins the sentence, `key` is its identity, `ms` how long it waits.
 */
export function createWaitReporter(
  standsStill: () => boolean,
  clock: Pick<Clock, 'mode'>,
  log: (record: Record<string, unknown>) => void,
) {
  const reported = new Set<string>();
  return (who: string, key: string, ms: number): void => {
    if (!standsStill() || reported.has(key)) return;
    if (reported.size >= REPORTED) reported.clear();
    reported.add(key);
    const help = clock.mode === 'frozen' ? 'advance or resume it' : 'advance it, or --clock auto';
    log({ level: 'warn', event: 'waits', message: `${who} waits for the clock: ${ms} ms (${help})` });
  };
}

/** A request to a daemon as a line of the log. */
export const daemonRecord = (request: DaemonRequest, now: number, redact: (text: string) => string): RequestRecord => ({
  time: new Date(now).toISOString(),
  method: request.method,
  path: redact(request.path),
  status: request.status,
  ms: now - request.at,
  caller: request.user ?? null,
  intern: request.internId ?? null,
  script: null,
  wrong: request.wrong === undefined ? null : redact(request.wrong),
});

/** A request that was refused for its host, before anything else was looked at. */
export const refusedRecord = (
  { method = '', url = '' }: { readonly method?: string | undefined; readonly url?: string | undefined },
  { status, headers }: PlainResponse,
  now: number,
  redact: (text: string) => string,
): RequestRecord => ({
  time: new Date(now).toISOString(),
  method,
  path: redact(url),
  status,
  ms: 0,
  caller: null,
  intern: null,
  script: null,
  wrong: redact(headers['x-emulator-detail'] ?? (status === 403 ? 'a regional host' : 'the Host is invalid')),
});
