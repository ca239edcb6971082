import type { ZodType } from 'zod';
import { type FlagRow, list as flagList, text as flagText, switched, toggle } from '../../conformance/cli/arguments.js';
import { parseDuration } from '../contract/duration.js';
import { given } from '../contract/given.js';
import { withZod } from '../contract/with-zod.js';

/** A setting of the emulator: a row of the help, read as text from a flag or a variable, and as JSON from a config file. */
export interface Setting<T> extends FlagRow {
  /** All possible values, if they are few. */
  readonly values?: readonly string[];
  /** Relative paths in a config file are relative to its folder. */
  readonly path?: 'always' | 'unless-name';
  /** @throws RangeError that says what was expected */
  parse(text: string): T;
  /** The values that a config file may give. */
  readonly json: () => ZodType;
}

const expected = (what: string, text: string) => new RangeError(`expected ${what}; found ${JSON.stringify(text)}`);

type About = Partial<Pick<Setting<unknown>, 'fallback' | 'path'>>;

const text = (
  describe: string,
  about: About = {},
  what = 'a text that is not empty',
  pattern = /\S/,
): Setting<string> => ({
  ...flagText(describe, about),
  parse(given) {
    if (!pattern.test(given)) throw expected(what, given);
    return given;
  },
  json: withZod((z) => z.string().regex(pattern, `expected ${what}`)),
});

/** A secret for a header. It must be ASCII, as clients disagree about other characters. Messages never show it. */
const token = (describe: string): Setting<string> => {
  const what = 'visible ASCII characters, without spaces';
  const pattern = /^[\x21-\x7e]+$/;
  return {
    ...text(describe, {}, what, pattern),
    parse(given) {
      if (!pattern.test(given)) throw new RangeError(`expected ${what}`);
      return given;
    },
  };
};

const path = (describe: string, about: About = {}): Setting<string> =>
  text(describe, { path: 'always', ...about }, 'a path');

const url = (describe: string): Setting<string> => text(describe, {}, 'an http or https URL', /^https?:\/\/\S+$/);

const choice = <const T extends string>(
  values: readonly [T, ...T[]],
  describe: string,
  about: About = {},
): Setting<T> => ({
  ...flagText(describe, about),
  values,
  parse(given) {
    const found = values.find((value) => value === given);
    if (found === undefined) throw expected(values.join(' or '), given);
    return found;
  },
  json: withZod((z) => z.enum(values)),
});

const whole = (min: number, max: number, describe: string, about: About = {}): Setting<number> => {
  const what = max === Number.MAX_SAFE_INTEGER ? `a whole number from ${min}` : `a whole number from ${min} to ${max}`;
  return {
    ...flagText(describe, about),
    parse(given) {
      const value = /^\d{1,16}$/.test(given) ? Number(given) : Number.NaN;
      if (!(value >= min && value <= max)) throw expected(what, given);
      return value;
    },
    json: withZod((z) => z.int().min(min).max(max)),
  };
};

const DURATION = 'expected whole milliseconds, or a text such as "20ms", "45s", "5m", "1h"';

/** A duration in ms of at least `least`, or one of `words`. */
const duration = <const T extends string = never>(
  describe: string,
  fallback: string,
  least = 1,
  ...words: readonly T[]
): Setting<number | T> => {
  const parse = (given: string | number): number | T => {
    const word = words.find((one) => one === given);
    if (word !== undefined) return word;
    const ms = parseDuration(given);
    if (ms < least) throw expected(`at least ${least} ms`, String(given));
    return ms;
  };
  return {
    ...flagText(describe, { fallback }),
    parse,
    json: withZod((z) =>
      z
        .union(
          [
            ...words.map((word) => z.literal(word)),
            z.int().min(least),
            z.string().regex(/^\d+(\.\d+)?\s*(ms|s|m|h)?$/, DURATION),
          ],
          { error: DURATION },
        )
        .transform((given, { addIssue }) => {
          try {
            return parse(given);
          } catch (error) {
            addIssue((error as RangeError).message);
          }
        }),
    ),
  };
};

const list = (describe: string, about: About = {}): Setting<string[]> => ({
  ...flagList(describe, about),
  parse(given) {
    const entries = given.split(',').map((entry) => entry.trim());
    if (entries.includes('')) throw expected('entries that are not empty, separated by commas', given);
    return entries;
  },
  json: withZod((z) => z.array(z.string().min(1))),
});

const onOff = (describe: string): Setting<boolean> => ({
  ...toggle(describe),
  parse(given) {
    const on = switched(given);
    if (on === undefined) throw expected('true or false', given);
    return on;
  },
  json: withZod((z) => z.boolean()),
});

/** Every setting of `serve` and `exec`, under the name that it has in a config file. */
export const FLAGS = {
  port: whole(0, 65_534, 'Port of the interface; 0 picks one', { fallback: '4683' }),
  daemonPort: whole(0, 65_535, 'Port of the intern daemons; 0 picks one', {
    fallback: 'the next port, or a free one if that is taken',
  }),
  host: text('Address to listen on', { fallback: '127.0.0.1' }),
  data: path('Keep the state in this JSON file', { fallback: 'kept in memory' }),
  fsync: onOff('With --data: wait for the disk at each write, to survive a loss of power too'),
  seedFile: path('The world to start from: people, keys, interns'),
  seed: text('Source of ids and randomness: same seed, same requests, same bytes', { fallback: 'a random one' }),
  profile: text('Names of the deployment: svc, openrouter, or a file', { fallback: 'svc', path: 'unless-name' }),
  clock: choice(
    ['real', 'virtual', 'auto'],
    'A virtual clock stands still until you advance it; auto advances by itself to what an intern waits for',
    { fallback: 'real' },
  ),
  scripts: list('File or folder of JSON scripts, read again on change; may be repeated', { path: 'always' }),
  regionalHost: list(
    'Host that is refused as regional, or the beginning of such hosts up to a dot ("eu."); may be repeated',
    { fallback: 'eu.' },
  ),
  allowHost: list('Name that a listener on loopback serves beside the loopback names, * for any; may be repeated'),
  tls: onOff('Serve HTTPS, with a certificate of an authority made for this start'),
  publicUrl: url('Public address behind a proxy or in a container; its host is served'),
  publicDaemonUrl: url('Public address of the intern daemons: scheme, host and port'),
  cors: list(
    'Origin whose pages may use the interface, beside loopback origins; * for any, none for none; may be repeated',
    { fallback: 'loopback origins' },
  ),
  turnsPerMinute: whole(0, Number.MAX_SAFE_INTEGER, 'Chat turns per minute and caller; 0 for no limit', {
    fallback: '60',
  }),
  interactionDeadline: duration('How long a question stays open', '5m'),
  executionDeadline: duration('How long a run started by invoke may take', '1h'),
  keepalive: duration('Silence after which a stream carries a keepalive', '30s'),
  proofWindow: duration('Age up to which the emulated daemons accept a proof', '60s'),
  controlToken: token('Token of the control interface; required beyond loopback'),
  signingKey: path('Ed25519 private key for proofs: a PEM or JWK file'),
  oidcIssuer: url("Trust this OIDC issuer's access tokens too"),
  oidcAudience: text('Audience that the tokens of that issuer must have (default: any)'),
  replay: list('Answer from recordings instead of emulating; may be repeated', { path: 'always' }),
  replayElse: choice(
    ['refuse', 'emulate'],
    'Answer to a request that was not recorded: 501, or the answer of the emulator',
    { fallback: 'refuse' },
  ),
  matches: path('Scripts chosen by what a prompt says: a JSON file of {when, script}'),
  chaos: path('Chaos profile: a JSON file of faults that apply from the start'),
  spaceIdle: duration('How long an unused space stays, in real time', '10m'),
  maxSpaces: whole(0, 100_000, 'How many spaces may exist at once', { fallback: '1000' }),
  requireV2: onOff('The emulated daemons require v2 proofs'),
  pace: duration(
    'Time between two words of what a script says without every; with --replay, between two writes',
    'none; with --replay, as recorded',
    0,
    'recorded',
  ),
  judge: onOff(
    'Hold each request and its answer against the rules of the interface; the journal and the console show it',
  ),
  agentsMayRun: onOff('Agents and the console may have commands run on this machine over HTTP (check_client, Lab)'),
  exitWithParent: onOff('Stop when the process that started it is gone, or npm; on by default under npx and npm run'),
  json: onOff('Print the target descriptor as one line of JSON when ready'),
  quiet: onOff('Print only the ready line and what goes wrong'),
  logFormat: choice(['text', 'json'], 'Log on standard error, a line for each request', { fallback: 'text' }),
} as const;

export type FlagName = keyof typeof FLAGS;

/** The settings given, by flag, variable or file. */
export type GivenFlags = { [N in FlagName]?: (typeof FLAGS)[N] extends Setting<infer T> ? T : never };

export const FLAG_NAMES = Object.keys(FLAGS) as FlagName[];

/** The settings that one source gives; undefined for one that it does not give. */
export const settingsFrom = (source: (setting: Setting<unknown>, name: FlagName) => unknown): GivenFlags =>
  given(Object.fromEntries(FLAG_NAMES.map((name) => [name, source(FLAGS[name], name)])));

/** `turnsPerMinute` as `turns-per-minute`. */
export const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** `turnsPerMinute` as `INTERN_EMULATOR_TURNS_PER_MINUTE`. */
export const variable = (name: string): string => `INTERN_EMULATOR_${kebab(name).replaceAll('-', '_').toUpperCase()}`;
