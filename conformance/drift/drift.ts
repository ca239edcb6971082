import { type PlacedExchange, RecordingInvalid, readRecording } from '../../emulator/recording/read.js';
import type { Driver } from '../drivers/driver.js';
import { brief, type Difference } from '../framework/assert.js';
import type { Host } from '../framework/time.js';
import type { CheckResult, FindingResult, Results } from '../run/results.js';
import { UsageError } from '../run/usage.js';
import { count, coverage, evaluate } from '../run/verdict.js';
import { KIT_VERSION } from '../run/version.js';
import { createInternFinder } from './interns.js';
import { type PlayDeps, type Played, play } from './play.js';

export interface DriftOptions {
  readonly driver: Driver;
  readonly host: Host;
  readonly files: readonly string[];
  /** ms. */
  readonly timeout: number;
  readonly bootTimeout: number;
  readonly signal: AbortSignal;
  /** Ids of findings that are known. */
  readonly baseline?: readonly string[];
  /** How this was called, to be called again. */
  readonly command: string;
  warn(message: string): void;
  ended?(result: CheckResult): void;
}

const finding = (played: Played, { what, expected, actual }: Difference, command: string): FindingResult => ({
  what,
  expected,
  actual,
  flaky: false,
  confirmed: { tries: 1, failures: 1 },
  transcript: [],
  replay: `${command} # ${played.placed.file}:${played.placed.line}`,
});

/** What every exchange is held against. */
const RECORDED = {
  sentence:
    'A recorded request is answered as it was recorded in what matters: status, reason, retryable, keys and their types, kinds and order of events, how it ended, headers of the contract.',
  where: 'Surface, Recordings',
};

/** The id of an exchange: scenario, place and operation. */
const idOf = ({ exchange }: PlacedExchange) =>
  `drift/${exchange.scenario ?? 'unnamed'}/${exchange.n}-${exchange.operation ?? 'other'}`;

function toResult(played: Played, options: DriftOptions): CheckResult {
  const { placed, compared, skip, error } = played;
  const { request } = placed.exchange;
  const id = idOf(placed);
  const known = options.baseline?.includes(id) === true;
  const [first, ...more] = compared.findings;
  const [warning, ...warnings] = compared.warnings;
  const several = (one: Difference, others: readonly Difference[]) =>
    others.length === 0
      ? one
      : {
          ...one,
          what: `${one.what} (and ${others.map(({ what, expected, actual }) => `${what}: expected ${brief(expected, 60)}, got ${brief(actual, 60)}`).join('; ')})`,
        };
  const row = {
    id,
    requirement: 'REC-3',
    level: 'C' as const,
    clause: RECORDED,
    title: `${request.method} ${request.path} (${placed.file}:${placed.line})`,
    duration: played.duration,
    requests: played.requests,
    properties: [],
  };
  if (error !== undefined) {
    const message = error instanceof Error ? error.message : String(error);
    return { ...row, verdict: 'error', error: { message, transcript: [] } };
  }
  if (skip !== undefined)
    return { ...row, verdict: 'skip', skip: { need: 'the same conversation', why: skip, kind: 'intern' } };
  if (first) {
    return {
      ...row,
      verdict: 'fail',
      finding: finding(played, several(first, more), options.command),
      ...(known && { known }),
    };
  }
  if (warning)
    return { ...row, verdict: 'warn', finding: finding(played, several(warning, warnings), options.command) };
  return { ...row, verdict: 'pass' };
}

async function cleanUp({ driver }: DriftOptions, made: ReadonlySet<string>): Promise<Results['cleanup']> {
  const failed: { id: string; name: string; why: string }[] = [];
  let deleted = 0;
  for (const id of made) {
    const headers = { authorization: `Bearer ${driver.credential('api_key') ?? ''}` };
    const answer = await Promise.resolve(
      driver.fetch(new Request(`${driver.target.baseUrl}/interns/${id}`, { method: 'DELETE', headers })),
    ).catch((error: unknown) => String(error));
    if (typeof answer !== 'string' && (answer.status < 300 || answer.status === 404)) deleted++;
    else failed.push({ id, name: '', why: typeof answer === 'string' ? answer : `status ${answer.status}` });
  }
  return { created: made.size, deleted, failed };
}

const byScenario = (exchanges: readonly PlacedExchange[]) => {
  const scenarios = new Map<string, PlacedExchange[]>();
  for (const one of exchanges) {
    const name = `${one.file} ${one.exchange.scenario ?? ''}`;
    scenarios.set(name, [...(scenarios.get(name) ?? []), one]);
  }
  return scenarios.values();
};

/**
 * Sends the requests of recordings to a target and compares its answers with the recorded ones in what matters (REC-3);
 * what matters is the table in `meaning.ts`. A difference is a finding, a further key a warning, and what an intern did
 * otherwise on a deployment a skip.
 *
 * @throws UsageError for a file that is no recording
 */
export async function drift(options: DriftOptions): Promise<Results> {
  const { driver, host } = options;
  const began = host.now();
  const started = new Date(began).toISOString();
  const made = new Set<string>();
  const deps: PlayDeps = {
    driver,
    host,
    timeout: options.timeout,
    bootTimeout: options.bootTimeout,
    signal: options.signal,
    interns: createInternFinder(options, made),
    created: (id) => void made.add(id),
  };
  let exchanges: PlacedExchange[];
  try {
    exchanges = options.files.flatMap((file) => readRecording(file, options.warn));
  } catch (error) {
    if (error instanceof RecordingInvalid) throw new UsageError(error.message);
    throw error;
  }
  const checks: CheckResult[] = [];
  await driver.begin();
  try {
    for (const scenario of byScenario(exchanges)) {
      if (options.signal.aborted) break;
      for (const played of await play(scenario, deps)) {
        const result = toResult(played, options);
        checks.push(result);
        options.ended?.(result);
      }
    }
  } finally {
    await driver.end();
  }
  const cleanup = await cleanUp(options, made);
  const known = checks.filter((check) => check.known).map((check) => check.id);
  const stale = (options.baseline ?? []).filter((id) =>
    checks.some((check) => check.id === id && check.verdict === 'pass'),
  );
  const { verdict, reasons, exit } = evaluate(checks, {
    cleanup,
    stale,
    ...(options.signal.aborted ? { stopped: 'interrupted' } : {}),
  });
  const { kind, baseUrl, profile } = driver.target;
  return {
    format: 'intern-conformance',
    version: 1,
    kit: KIT_VERSION,
    run: host.tag(4),
    started,
    duration: host.now() - began,
    target: { kind, url: baseUrl, profile: profile.name, published: profile.published },
    options: { seed: '', runs: 1, only: [], skip: [], levels: ['S', 'P', 'C'], readOnly: false, slow: 0 },
    verdict,
    reasons,
    exit,
    counts: count(checks),
    requests: checks.reduce((sum, check) => sum + check.requests, 0),
    checks,
    requirements: [],
    cleanup,
    ...(options.baseline === undefined ? {} : { baseline: { known, stale } }),
    coverage: coverage(checks),
  };
}
