import type { PlacedExchange } from '../../emulator/recording/read.js';
import type { Driver } from '../drivers/driver.js';
import { foundOfAll } from '../framework/difference.js';
import type { Finding } from '../framework/finding.js';
import { type Stop, Stopped } from '../framework/stop.js';
import type { Host } from '../framework/time.js';
import type { Redactor } from '../probe/redact.js';
import { takeAway } from '../run/cleaning.js';
import { recorded } from '../run/finding.js';
import { settingsOf } from '../run/options.js';
import { preflight } from '../run/preflight.js';
import type { CheckResult, FindingResult, Results } from '../run/results.js';
import { createSession } from '../run/session.js';
import { count, coverage, evaluate } from '../run/verdict.js';
import { KIT_VERSION } from '../run/version.js';
import { createLedger } from '../safety/ledger.js';
import { createNames } from './names.js';
import { type Played, play } from './play.js';
import { byScenario } from './recordings.js';

/** What a drift may be told. Times in ms. */
export interface DriftOptions {
  readonly driver: Driver;
  readonly host: Host;
  readonly exchanges: readonly PlacedExchange[];
  /** Until the head of an answer has to be there. Default 10,000. */
  readonly timeout?: number;
  /** That a boot may take, and a read that time may mend. Default 120,000. */
  readonly bootTimeout?: number;
  /** Requests per second; 0 is no limit. Default 5 without a control interface, else none. */
  readonly rate?: number;
  readonly maxRequests?: number;
  readonly readOnly?: boolean;
  /** 4 characters that tell the names of this run from others; part of the run's id. */
  readonly tag?: string;
  /** Keeps the ledger of created interns. Default: in memory only. */
  readonly ledgerPath?: string;
  readonly signal: AbortSignal;
  /** Ids of findings that are known. */
  readonly baseline?: readonly string[];
  /** How this was called, to be called again. */
  readonly command: string;
}

/** What every exchange is held against. */
const RECORDED = {
  sentence:
    'A recorded request is answered as it was recorded in what matters: status, reason, retryable, keys and their types, kinds and order of events, how it ended, headers of the contract.',
  where: 'Surface, Recordings',
};

/** The id of an exchange: scenario, place and operation. */
export const idOf = ({ exchange }: PlacedExchange): string =>
  `drift/${exchange.scenario ?? 'unnamed'}/${exchange.n}-${exchange.operation ?? 'other'}`;

/** One finding, with the others beside it. */
function findingOf(
  { placed }: Played,
  found: ReturnType<typeof foundOfAll>,
  { command }: DriftOptions,
  redactor: Redactor,
): FindingResult {
  return {
    ...recorded(found, redactor),
    transcript: [],
    replay: `${command} # ${placed.file}:${placed.line}`,
  };
}

/** What a finding of the kit itself says, of whatever it breaks. */
const lookOf = ({ found: { breaks: _, ...look } }: Finding): ReturnType<typeof foundOfAll> => look;

function toResult(played: Played, options: DriftOptions, redactor: Redactor): CheckResult {
  const { placed, compared, skip, error, met } = played;
  const { request } = placed.exchange;
  const row = {
    id: idOf(placed),
    requirement: 'REC-3',
    level: 'C' as const,
    clause: RECORDED,
    title: `${request.method} ${request.path} (${placed.file}:${placed.line})`,
    duration: played.duration,
    requests: played.requests,
    properties: [],
  };
  if (error !== undefined) {
    const message = redactor.text(error instanceof Error ? error.message : String(error));
    return { ...row, verdict: 'error', error: { message, transcript: [] } };
  }
  if (skip !== undefined) return { ...row, verdict: 'skip', skip: recorded(skip, redactor) };
  const [finding, ...findings] = compared.findings;
  const [warning, ...warnings] = compared.warnings;
  const found = met ? lookOf(met) : finding && foundOfAll([finding, ...findings]);
  if (found) {
    const known = options.baseline?.includes(row.id) === true;
    return { ...row, verdict: 'fail', finding: findingOf(played, found, options, redactor), ...(known && { known }) };
  }
  if (warning) {
    const others = foundOfAll([warning, ...warnings]);
    return { ...row, verdict: 'warn', finding: findingOf(played, others, options, redactor) };
  }
  return { ...row, verdict: 'pass' };
}

/** Why the target cannot be compared at all, so that nothing but reads is sent to it. */
const unplayed = (placed: PlacedExchange, stop: Stop): Played => ({
  placed,
  compared: { findings: [], warnings: [] },
  skip: { kind: 'stopped', because: { kind: 'over', stop } },
  requests: 0,
  duration: 0,
});

/**
 * Sends the requests of recordings to a target and compares its answers with the recorded ones in what matters (REC-3);
 * what matters is the table in `meaning.ts`. A difference is a finding, a further key a warning, and what an intern did
 * otherwise on a deployment a skip. Nothing is written to an intern that the run did not make, and those are taken away.
 */
export async function drift(options: DriftOptions): Promise<Results> {
  const { driver, host, exchanges } = options;
  const began = host.now();
  const tag = options.tag ?? host.tag(4);
  const over = new AbortController();
  const interrupted = () => over.abort(new Stopped({ kind: 'interrupted' }));
  if (options.signal.aborted) interrupted();
  options.signal.addEventListener('abort', interrupted, { once: true });
  const settings = settingsOf({ ...options, blocking: false });
  const ledger = createLedger(options.ledgerPath);
  const base = { driver, host, tag, settings, ledger, habits: [], signal: over.signal };
  const session = createSession(base);
  const { prefix, redactor } = session;
  ledger.write({ event: 'run', run: tag, url: driver.target.baseUrl, prefix, at: new Date(began).toISOString() });
  const names = createNames(prefix);
  const all: Played[] = [];
  let cleanup: Results['cleanup'] = { created: 0, deleted: 0, failed: [] };
  const client = session.client.scope(over.signal);
  const stopped = await preflight(client, driver.control !== undefined);
  if (stopped === undefined && !settings.readOnly) await driver.begin();
  try {
    for (const scenario of byScenario(exchanges)) {
      all.push(
        ...(stopped === undefined
          ? await play(scenario, { ...base, session, client, names })
          : scenario.map((placed) => unplayed(placed, stopped))),
      );
    }
  } finally {
    options.signal.removeEventListener('abort', interrupted);
    session.cleaning();
    await session.client.closeAll();
    cleanup = await takeAway({ ...base, session });
    if (!settings.readOnly) await driver.end();
  }

  const checks = all.map((played) => toResult(played, options, redactor));
  const [ended] = checks.flatMap(({ skip }) => (skip?.because.kind === 'over' ? [skip.because.stop] : []));
  const known = checks.filter((check) => check.known).map((check) => check.id);
  const stale = (options.baseline ?? []).filter((id) =>
    checks.some((check) => check.id === id && check.verdict === 'pass'),
  );
  const { verdict, incomplete, exit } = evaluate(checks, {
    cleanup,
    stale,
    stopped: ended,
  });
  const { kind, baseUrl, profile } = driver.target;
  return {
    format: 'intern-conformance',
    version: 1,
    kit: KIT_VERSION,
    run: tag,
    started: new Date(began).toISOString(),
    duration: host.now() - began,
    target: { kind, url: baseUrl, profile: profile.name, published: profile.published },
    options: {
      seed: '',
      runs: 1,
      only: [],
      skip: [],
      levels: ['S', 'P', 'C'],
      readOnly: settings.readOnly,
      slow: 0,
    },
    verdict,
    incomplete,
    exit,
    counts: count(checks),
    requests: session.client.sent,
    checks,
    requirements: [],
    cleanup,
    ...(options.baseline === undefined ? {} : { baseline: { known, stale } }),
    coverage: coverage(checks),
  };
}
