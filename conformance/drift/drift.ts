import type { PlacedExchange } from '../../emulator/recording/read.js';
import type { Driver } from '../drivers/driver.js';
import { assemble } from '../engine/assemble.js';
import { asKnown, type Baseline } from '../engine/baseline.js';
import { recorded } from '../engine/finding.js';
import { openRun } from '../engine/open.js';
import type { CheckResult, FindingResult, Results } from '../engine/results.js';
import { foundOfAll } from '../framework/difference.js';
import type { Finding } from '../framework/finding.js';
import type { FailOn } from '../framework/known.js';
import type { Stop } from '../framework/stop.js';
import type { Redactor } from '../probe/redact.js';
import type { Host } from '../probe/time.js';
import { createNames } from './names.js';
import { type Played, play } from './play.js';
import { byScenario } from './recordings.js';

/** The options of a drift. Times in ms. */
export interface DriftOptions {
  readonly driver: Driver;
  readonly host: Host;
  readonly exchanges: readonly PlacedExchange[];
  /** Until the head of an answer must be there. Default 10,000. */
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
  /** Findings that are known. */
  readonly baseline?: Baseline;
  /** From which verdict on the target fails. Default `fail`. */
  readonly failOn?: FailOn;
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

/** A finding without the requirement that it breaks: drift holds all of them under its own. */
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
    return { ...row, verdict: 'fail', finding: findingOf(played, found, options, redactor) };
  }
  if (warning) {
    const others = foundOfAll([warning, ...warnings]);
    return { ...row, verdict: 'warn', finding: findingOf(played, others, options, redactor) };
  }
  return { ...row, verdict: 'pass' };
}

/** Why the target cannot be compared at all, so that only reads are sent to it. */
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
  const { driver, exchanges, host } = options;
  const opened = openRun({ ...options, blocking: false }, { puts: options.readOnly !== true });
  const { redactor, session } = opened;
  const names = createNames(session.prefix);
  const all: Played[] = [];
  let cleanup: Results['cleanup'] | undefined;
  const stopped = await opened.begin();
  try {
    for (const scenario of byScenario(exchanges)) {
      all.push(
        ...(stopped === undefined
          ? await play(scenario, { ...opened, client: session.running, names })
          : scenario.map((placed) => unplayed(placed, stopped))),
      );
    }
  } finally {
    cleanup = await opened.close();
  }

  const checks = all.map((played) =>
    asKnown(toResult(played, options, redactor), options.baseline, host.now(), options.failOn),
  );
  const [ended] = checks.flatMap(({ skip }) => (skip?.because.kind === 'over' ? [skip.because.stop] : []));
  const { kind, baseUrl, profile } = driver.target;
  return assemble(checks, {
    tag: opened.tag,
    began: opened.began,
    now: host.now(),
    target: { kind, url: baseUrl, profile: profile.name, published: profile.published },
    options: { seed: '', levels: ['S', 'P', 'C'], readOnly: opened.settings.readOnly },
    requests: session.client.sent,
    cleanup,
    stopped: ended ?? opened.stopped,
    baseline: options.baseline,
    failOn: options.failOn,
    // A baseline may be of other recordings, too.
    exists: () => true,
  });
}
