import type { z } from 'zod';
import defaultSeed from '../../fixtures/seeds/default.json' with { type: 'json' };
import type { ClockKind } from '../clock/clock.js';
import type { BeginJudge, LoadChecks } from '../contract/checks.js';
import { chaosSchema, type Fault, type faultSchema } from '../contract/fault.js';
import { FileInvalid, textOfFile } from '../contract/file.js';
import { JsonSyntaxError, parseJson } from '../contract/json.js';
import { type Match, matchesSchema } from '../contract/match.js';
import { problem, words } from '../contract/problem.js';
import { idempotencyHeader, type Profile, profileSchema, proofHeaders, shippedProfile } from '../contract/profile.js';
import { type Seed, seedSchema } from '../contract/seed.js';
import { DEFAULT_SETTINGS, type Settings, settingsSchema } from '../contract/settings.js';
import type { Input } from '../contract/with-zod.js';
import type { LoadDisturbances } from '../disturbances/serve.js';
import { type Cors, CorsInvalid, createCors } from '../http/cors.js';
import { wrongAllowedHost } from '../http/hosts.js';
import type { OnRequest } from '../http/request-log.js';
import type { Behaviour, ScriptSource } from '../scripts/behaviour.js';

/** How recordings are replayed. */
export interface ReplayOptions {
  readonly files: readonly string[];
  /** `recorded` (default) keeps the gaps between the writes of an answer; a number is the ms between two of them. */
  readonly pace?: 'recorded' | number;
  /** The answer to a request that no recording has: 501 (default), or that of the emulator. */
  readonly otherwise?: 'refuse' | 'emulate';
}

/** The options of an emulator. Every one may be left out. */
export interface EmulatorOptions {
  /** Path of the JSON store; without it, everything is kept in memory. */
  data?: string;
  /** Waits for the disk at each commit: `data` then survives a loss of power too. */
  fsync?: boolean;
  /** The world to start from: a seed, or the path of one. Default: `fixtures/seeds/default.json`. */
  seedFile?: string | Seed;
  /** Seed of ids, keys and randomness: same seed, same requests, same bytes. Default: a random one. */
  seed?: string;
  /** Names of the deployment: a shipped profile, a profile, or the path of one. Default: `svc`. */
  profile?: string | Profile;
  /**
   * `virtual` stands still until you advance it. `auto` advances by itself to what a run, a boot, a teardown or an
   * injected delay waits for (WEB-5). Default: `real`.
   */
  clock?: ClockKind;
  /** Behaviours written in code, and JSON scripts as objects. */
  scripts?: readonly (Behaviour | ScriptSource)[];
  /** Files of JSON scripts, read again when they change. */
  scriptFiles?: readonly string[];
  /** Hosts that count as regional (BASE-4): names, or beginnings that end in a dot. Default: `eu.`. */
  regionalHosts?: readonly string[];
  /**
   * Names that a listener on loopback serves beside the loopback names; `*` is any. A request by another name is
   * refused (421).
   */
  allowHosts?: readonly string[];
  /**
   * Origins whose pages may use the interface and the daemons from a browser, beside loopback origins. `*` is any;
   * `none` alone excludes even loopback.
   */
  cors?: readonly string[];
  /** The public address behind a proxy or in a container, with or without `/api/v1`; its host is served. */
  publicUrl?: string;
  /** The public address of the daemons: scheme, host and port. */
  publicDaemonUrl?: string;
  settings?: Partial<Settings>;
  /** Token of the control interface; required when it listens beyond loopback. */
  controlToken?: string;
  /**
   * Ed25519 private key to sign proofs with: PEM or JWK text. Default: derived from `seed`, else kept in `<data>.key`.
   */
  signingKey?: string;
  /** Trusts this OIDC issuer's access tokens beside the seeded ones. */
  oidcIssuer?: string;
  /** The audience that its tokens must have. Default: any. */
  oidcAudience?: string;
  /** Whether the emulated daemon requires v2 proofs. */
  requireV2?: boolean;
  /** Faults that apply from the start, and again after each reset: a list, or the path of a chaos profile (SPACE-3). */
  chaos?: string | readonly Input<typeof faultSchema>[];
  /** Scripts for prompts that meet a condition, before those of the seed: a list, or the path of one. */
  matches?: string | readonly Match[];
  /**
   * The harmless disturbances that faults may name. The command line and `explore` hand in those of the conformance
   * kit.
   */
  disturbances?: LoadDisturbances;
  /** The conformance kit and the client lab for agents (AGENT-2). The command line hands them in. */
  checks?: LoadChecks;
  /**
   * Holds each exchange against the rules of the interface. The command line hands in those of the conformance kit,
   * for `--judge`.
   */
  judge?: BeginJudge;
  /** Whether agents and the console may run a command over HTTP (`check_client`, `POST /_emulator/lab/adapters`). Default: false. */
  agentsMayRun?: boolean;
  /** How long an unused space stays, in ms of real time (SPACE-1). Default: 10 minutes. */
  spaceIdle?: number;
  /** How many spaces may exist at once. Default: 1,000. */
  maxSpaces?: number;
  /** Answers from recordings of a deployment instead of emulating it (REC-2). */
  replay?: ReplayOptions;
  /**
   * Receives a record of each thing that happens; never a credential. Default: warnings and errors are written to
   * standard error.
   */
  log?: (record: Record<string, unknown>) => void;
  /** Without `log`: writes errors of the emulator itself alone, no warnings. */
  quiet?: boolean;
  /** Receives each request to the interface and the daemons when it is answered; never a credential. */
  onRequest?: OnRequest;
}

/** An option that cannot be used. The message names it, the mistake and its place. */
export class OptionError extends Error {
  override readonly name = 'OptionError';
}

function readJson(what: string, path: string): unknown {
  try {
    return parseJson(textOfFile(path, `${what} ${path}`));
  } catch (error) {
    if (error instanceof FileInvalid) throw new OptionError(error.message);
    if (error instanceof JsonSyntaxError) throw new OptionError(`${what} ${path} is not JSON: ${error.message}`);
    throw error;
  }
}

function check<T>(what: string, schema: () => z.ZodType<T>, value: unknown): T {
  const result = schema().safeParse(value, { error: words });
  if (result.success) return result.data;
  throw new OptionError(`${what}: ${problem(result.error, 'the whole')}`);
}

/**
 * @throws OptionError
 *
 * @internal
 */
export function loadProfile(given: string | Profile = 'svc'): Profile {
  if (typeof given !== 'string') return check('profile', profileSchema, given);
  return shippedProfile(given) ?? check(`profile ${given}`, profileSchema, readJson('profile', given));
}

/**
 * @throws OptionError
 *
 * @internal
 */
export function loadSeed(given?: string | Seed): Seed {
  // A test compares it with the schema, so that a start need not.
  if (given === undefined) return defaultSeed as Seed;
  if (typeof given !== 'string') return check('seed', seedSchema, given);
  return check(`seed file ${given}`, seedSchema, readJson('seed file', given));
}

/**
 * @throws OptionError
 *
 * @internal
 */
export const loadSettings = (given: Partial<Settings> = {}): Settings =>
  Object.keys(given).length === 0 ? DEFAULT_SETTINGS : check('settings', settingsSchema, given);

/**
 * A chaos profile: a list of faults, or an object that has one. @throws OptionError
 *
 * @internal
 */
export function loadChaos(given?: EmulatorOptions['chaos']): readonly Fault[] {
  if (given === undefined) return [];
  const what = typeof given === 'string' ? `chaos profile ${given}` : 'chaos profile';
  const value = typeof given === 'string' ? readJson('chaos profile', given) : given;
  return check(what, chaosSchema, Array.isArray(value) ? { faults: value } : value).faults;
}

/**
 * The rows that choose a script by the text of a prompt. @throws OptionError
 *
 * @internal
 */
export function loadMatches(given: EmulatorOptions['matches'] = []): readonly Match[] {
  if (typeof given !== 'string') return given.length === 0 ? [] : check('matches', matchesSchema, given);
  return check(`matches ${given}`, matchesSchema, readJson('matches', given));
}

/**
 * The hosts that count as regional (BASE-4). @throws OptionError for a name that no host can have
 *
 * @internal
 */
export function loadRegionalHosts(given: readonly string[] = ['eu.']): readonly string[] {
  const wrong = given.find((entry) => !/^[^\s./:]/.test(entry) || /[\s/:]/.test(entry));
  if (wrong === undefined) return given;
  throw new OptionError(
    `regional host "${wrong}": expected the name of a host, without a port, or the beginning of one with a dot at its end, such as "eu."`,
  );
}

/**
 * The names that a listener on loopback serves beside the loopback names. @throws OptionError for a name that no host
 * can have
 *
 * @internal
 */
export function loadAllowedHosts(given: readonly string[] = []): readonly string[] {
  const wrong = wrongAllowedHost(given);
  if (wrong === undefined) return given;
  throw new OptionError(wrong);
}

/**
 * The pages that may use the interface. @throws OptionError
 *
 * @internal
 */
export function loadCors(given: EmulatorOptions['cors'], profile: Profile): Cors {
  try {
    return createCors(given, [idempotencyHeader(profile), ...Object.values(proofHeaders(profile))]);
  } catch (error) {
    throw error instanceof CorsInvalid ? new OptionError(error.message) : error;
  }
}
