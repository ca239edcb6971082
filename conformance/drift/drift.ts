import type { PlacedExchange } from '../../emulator/recording/read.js';
import type { Driver } from '../drivers/driver.js';
import { brief, type Difference } from '../framework/assert.js';
import type { Host } from '../framework/time.js';
import type { Redactor } from '../probe/redact.js';
import { REACHED } from '../run/circumstances.js';
import { takeAway } from '../run/cleaning.js';
import { shown } from '../run/finding.js';
import { settingsOf } from '../run/options.js';
import { preflight } from '../run/preflight.js';
import type { CheckResult, FindingResult, Results } from '../run/results.js';
import { createSession } from '../run/session.js';
import { Stopped } from '../run/stopped.js';
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

/** One finding out of what differs between two answers: the first, with the others beside it. */
function findingOf(
  { placed }: Played,
  [first, ...others]: readonly [Difference, ...Difference[]],
  { command }: DriftOptions,
  redactor: Redactor,
): FindingResult {
  const inWords = ({ what, expected, actual }: Difference) =>
    `${what}: expected ${brief(shown(expected, redactor), 60)}, got ${brief(shown(actual, redactor), 60)}`;
  const what = others.length === 0 ? first.what : `${first.what} (and ${others.map(inWords).join('; ')})`;
  return {
    what: redactor.text(what),
    expected: shown(first.expected, redactor),
    actual: shown(first.actual, redactor),
    flaky: false,
    confirmed: { tries: 1, failures: 1 },
    transcript: [],
    replay: `${command} # ${placed.file}:${placed.line}`,
  };
}

function toResult(played: Played, options: DriftOptions, redactor: Redactor): CheckResult {
  const { placed, compared, skip, error } = played;
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
  if (skip !== undefined) return { ...row, verdict: 'skip', skip: { ...skip, why: redactor.text(skip.why) } };
  const [finding, ...findings] = compared.findings;
  const [warning, ...warnings] = compared.warnings;
  if (finding) {
    const known = options.baseline?.includes(row.id) === true;
    const found = findingOf(played, [finding, ...findings], options, redactor);
    return { ...row, verdict: 'fail', finding: found, ...(known && { known }) };
  }
  if (warning) {
    return { ...row, verdict: 'warn', finding: findingOf(played, [warning, ...warnings], options, redactor) };
  }
  return { ...row, verdict: 'pass' };
}

/** Why the target cannot be compared at all, so that nothing but reads is sent to it. */
const unplayed = (placed: PlacedExchange, why: string): Played => ({
  placed,
  compared: { findings: [], warnings: [] },
  skip: { need: 'target', why, kind: 'stopped' },
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
  const interrupted = () => over.abort(new Stopped('interrupted'));
  if (options.signal.aborted) interrupted();
  options.signal.addEventListener('abort', interrupted, { once: true });
  const settings = settingsOf({ ...options, blocking: false });
  const ledger = createLedger(options.ledgerPath);
  const base = { driver, host, tag, settings, ledger, signal: over.signal };
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
  const ended = checks.find(({ skip }) => skip?.kind === 'stopped' && skip.need !== REACHED)?.skip?.why;
  const known = checks.filter((check) => check.known).map((check) => check.id);
  const stale = (options.baseline ?? []).filter((id) =>
    checks.some((check) => check.id === id && check.verdict === 'pass'),
  );
  const { verdict, reasons, exit } = evaluate(checks, {
    cleanup,
    stale,
    ...(ended !== undefined && { stopped: ended }),
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
    reasons,
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
