import type { ZodType } from 'zod';
import { parseDuration } from '../contract/duration.js';
import { withZod } from '../contract/with-zod.js';

/**
 * A setting of the emulator. It is read as text from a flag or a variable, and as JSON from a config file. `parse`
 * throws a RangeError that says what was expected.
 */
export interface Flag<T> {
  readonly describe: string;
  /** The placeholder of the value in the help. */
  readonly value: string;
  /** The default, as the help shows it. */
  readonly fallback?: string;
  readonly kind: 'single' | 'list' | 'switch';
  /** All possible values, if they are few. */
  readonly choices?: readonly string[];
  /** Relative paths in a config file are relative to its folder. */
  readonly path?: 'always' | 'unless-name';
  parse(text: string): T;
  /** The values that a config file may give. */
  readonly json: () => ZodType;
  /** From what `json` accepted. */
  from(value: unknown): T;
}

const expected = (what: string, text: string) => new RangeError(`expected ${what}; found ${JSON.stringify(text)}`);

type About = Partial<Pick<Flag<unknown>, 'value' | 'fallback' | 'path'>>;

const text = (
  describe: string,
  about: About = {},
  what = 'a text that is not empty',
  pattern = /\S/,
): Flag<string> => ({
  describe,
  value: 'text',
  ...about,
  kind: 'single',
  parse(given) {
    if (!pattern.test(given)) throw expected(what, given);
    return given;
  },
  json: withZod((z) => z.string().regex(pattern, `expected ${what}`)),
  from: (value) => String(value),
});

/** A secret for a header. It must be ASCII, as clients disagree about other characters. Messages never show it. */
const token = (describe: string): Flag<string> => {
  const what = 'visible ASCII characters, without spaces';
  const pattern = /^[\x21-\x7e]+$/;
  return {
    ...text(describe, { value: 'token' }, what, pattern),
    parse(given) {
      if (!pattern.test(given)) throw new RangeError(`expected ${what}`);
      return given;
    },
  };
};

const path = (describe: string, about: About = {}): Flag<string> =>
  text(describe, { value: 'file', path: 'always', ...about }, 'a path');

const url = (describe: string): Flag<string> =>
  text(describe, { value: 'url' }, 'an http or https URL', /^https?:\/\/\S+$/);

const choice = <const T extends string>(
  options: readonly [T, ...T[]],
  describe: string,
  about: About = {},
): Flag<T> => ({
  describe,
  value: options.join('|'),
  ...about,
  kind: 'single',
  choices: options,
  parse(given) {
    const found = options.find((option) => option === given);
    if (found === undefined) throw expected(options.join(' or '), given);
    return found;
  },
  json: withZod((z) => z.enum(options)),
  from: (value) => value as T,
});

const whole = (min: number, max: number, describe: string, about: About = {}): Flag<number> => {
  const what = max === Number.MAX_SAFE_INTEGER ? `a whole number from ${min}` : `a whole number from ${min} to ${max}`;
  return {
    describe,
    value: 'number',
    ...about,
    kind: 'single',
    parse(given) {
      const value = /^\d{1,16}$/.test(given) ? Number(given) : Number.NaN;
      if (!(value >= min && value <= max)) throw expected(what, given);
      return value;
    },
    json: withZod((z) => z.int().min(min).max(max)),
    from: (value) => Number(value),
  };
};

const DURATION = 'expected whole milliseconds, or a text such as "20ms", "45s", "5m", "1h"';

const duration = (describe: string, fallback: string): Flag<number> => {
  const parse = (given: string | number) => {
    const ms = parseDuration(given);
    if (ms < 1) throw expected('at least 1 ms', String(given));
    return ms;
  };
  return {
    describe,
    value: 'duration',
    fallback,
    kind: 'single',
    parse,
    json: withZod((z) =>
      z.union([z.int().min(1), z.string().regex(/^\d+(\.\d+)?\s*(ms|s|m|h)?$/, DURATION)], { error: DURATION }),
    ),
    from: (value) => parse(value as string | number),
  };
};

const parsePace = (given: string | number): number | 'recorded' =>
  given === 'recorded' ? given : parseDuration(given);

const list = (describe: string, about: About): Flag<string[]> => ({
  describe,
  ...about,
  value: about.value ?? 'text',
  kind: 'list',
  parse(given) {
    const entries = given.split(',').map((entry) => entry.trim());
    if (entries.includes('')) throw expected('entries that are not empty, separated by commas', given);
    return entries;
  },
  json: withZod((z) => z.array(z.string().min(1))),
  from: (value) => value as string[],
});

const ON = new Set(['1', 'true', 'yes', 'on']);
const OFF = new Set(['0', 'false', 'no', 'off', '']);
const onOff = (describe: string): Flag<boolean> => ({
  describe,
  value: '',
  kind: 'switch',
  parse(given) {
    if (ON.has(given.toLowerCase())) return true;
    if (OFF.has(given.toLowerCase())) return false;
    throw expected('true or false', given);
  },
  json: withZod((z) => z.boolean()),
  from: (value) => value === true,
});

/** Every setting of `serve` and `exec`, under the name that it has in a config file. */
export const FLAGS = {
  port: whole(0, 65_534, 'Port of the interface; 0 picks one', { fallback: '4683' }),
  daemonPort: whole(0, 65_535, 'Port of the intern daemons; 0 picks one', {
    fallback: 'the next port, or a free one if that is taken',
  }),
  host: text('Address to listen on', { value: 'address', fallback: '127.0.0.1' }),
  data: path('Keep the state in this JSON file', { fallback: 'kept in memory' }),
  fsync: onOff('With --data: wait for the disk at each write, to survive a loss of power too'),
  seedFile: path('The world to start from: people, keys, interns'),
  seed: text('Source of ids and randomness: same seed, same requests, same bytes', { fallback: 'a random one' }),
  profile: text('Names of the deployment: svc, openrouter, or a file', {
    value: 'name|file',
    fallback: 'svc',
    path: 'unless-name',
  }),
  clock: choice(
    ['real', 'virtual', 'auto'],
    'A virtual clock stands still until you advance it; auto advances by itself to what an intern waits for',
    { fallback: 'real' },
  ),
  scripts: list('File or folder of JSON scripts, read again on change; may be repeated', {
    value: 'path',
    path: 'always',
  }),
  regionalHost: list(
    'Host that is refused as regional, or the beginning of such hosts up to a dot ("eu."); may be repeated',
    { value: 'host', fallback: 'eu.' },
  ),
  allowHost: list('Name that a listener on loopback serves beside the loopback names, * for any; may be repeated', {
    value: 'host',
  }),
  tls: onOff('Serve HTTPS, with a certificate of an authority made for this start'),
  publicUrl: url('Public address behind a proxy or in a container; its host is served'),
  publicDaemonUrl: url('Public address of the intern daemons: scheme, host and port'),
  cors: list(
    'Origin whose pages may use the interface, beside loopback origins; * for any, none for none; may be repeated',
    { value: 'origin', fallback: 'loopback origins' },
  ),
  turnsPerMinute: whole(0, Number.MAX_SAFE_INTEGER, 'Chat turns per minute and caller; 0 for no limit', {
    fallback: '60',
  }),
  interactionDeadline: duration('How long a question stays open', '5m'),
  executionDeadline: duration('How long a run started by invoke may take', '1h'),
  keepalive: duration('Silence after which a stream carries a keepalive', '30s'),
  proofWindow: duration('Age up to which the emulated daemons accept a proof', '60s'),
  controlToken: token('Token of the control interface; required beyond loopback'),
  signingKey: path('Ed25519 private key for proofs: a PEM or JWK file', { value: 'file' }),
  oidcIssuer: url("Trust this OIDC issuer's access tokens too"),
  oidcAudience: text('Audience that the tokens of that issuer must have (default: any)', { value: 'text' }),
  replay: list('Answer from recordings instead of emulating; may be repeated', { value: 'file', path: 'always' }),
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
  pace: {
    ...text('Time between two words of what a script says without every; with --replay, between two writes', {
      value: 'duration',
      fallback: 'none; with --replay, as recorded',
    }),
    parse: parsePace,
    json: withZod((z) =>
      z.union([z.literal('recorded'), z.int().min(0), z.string().regex(/^\d+(\.\d+)?\s*(ms|s|m|h)?$/, DURATION)], {
        error: DURATION,
      }),
    ),
    from: (value: unknown) => parsePace(value as string | number),
  } satisfies Flag<number | 'recorded'>,
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
export type GivenFlags = { [N in FlagName]?: (typeof FLAGS)[N] extends Flag<infer T> ? T : never };

export const FLAG_NAMES = Object.keys(FLAGS) as FlagName[];

/** `turnsPerMinute` as `turns-per-minute`. */
export const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** `turnsPerMinute` as `INTERN_EMULATOR_TURNS_PER_MINUTE`. */
export const variable = (name: string): string => `INTERN_EMULATOR_${kebab(name).replaceAll('-', '_').toUpperCase()}`;
