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

type About = Pick<Flag<unknown>, 'describe'> & Partial<Pick<Flag<unknown>, 'value' | 'fallback' | 'path'>>;

const text = (about: About, what = 'a text that is not empty', pattern = /\S/): Flag<string> => ({
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

/** It goes into a header, where clients send anything but ASCII differently. It is never shown. */
const token = (about: About): Flag<string> => {
  const what = 'visible ASCII characters, without spaces';
  const pattern = /^[\x21-\x7e]+$/;
  return {
    ...text({ value: 'token', ...about }, what, pattern),
    parse(given) {
      if (!pattern.test(given)) throw new RangeError(`expected ${what}`);
      return given;
    },
  };
};

const path = (about: About): Flag<string> => ({ ...text({ value: 'file', path: 'always', ...about }, 'a path') });

const choice = <const T extends string>(options: readonly [T, ...T[]], about: About): Flag<T> => ({
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

const whole = (min: number, max: number, about: About): Flag<number> => {
  const what = max === Number.MAX_SAFE_INTEGER ? `a whole number from ${min}` : `a whole number from ${min} to ${max}`;
  return {
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

const duration = (about: About): Flag<number> => {
  const parse = (given: string | number) => {
    const ms = parseDuration(given);
    if (ms < 1) throw expected('at least 1 ms', String(given));
    return ms;
  };
  return {
    value: 'duration',
    ...about,
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

const list = (about: About): Flag<string[]> => ({
  value: 'text',
  ...about,
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
const onOff = (about: About): Flag<boolean> => ({
  value: '',
  ...about,
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
  port: whole(0, 65_534, {
    describe: 'Port of the interface; 0 picks one',
    fallback: '4683',
  }),
  daemonPort: whole(0, 65_535, {
    describe: 'Port of the intern daemons; 0 picks one',
    fallback: 'the next port, or a free one if that is taken',
  }),
  host: text({ describe: 'Address to listen on', value: 'address', fallback: '127.0.0.1' }),
  data: path({ describe: 'Keep the state in this JSON file', fallback: 'kept in memory' }),
  fsync: onOff({ describe: 'With --data: wait for the disk at each write, to survive a loss of power too' }),
  seedFile: path({ describe: 'The world to start from: people, keys, interns' }),
  seed: text({
    describe: 'Source of ids and randomness: same seed, same requests, same bytes',
    fallback: 'a random one',
  }),
  profile: text({
    describe: 'Names of the deployment: svc, openrouter, or a file',
    value: 'name|file',
    fallback: 'svc',
    path: 'unless-name',
  }),
  clock: choice(['real', 'virtual', 'auto'], {
    describe: 'A virtual clock stands still until you advance it; auto advances by itself to what an intern waits for',
    fallback: 'real',
  }),
  scripts: list({
    describe: 'File or folder of JSON scripts, read again on change; may be repeated',
    value: 'path',
    path: 'always',
  }),
  regionalHost: list({
    describe: 'Host that is refused as regional, or the beginning of such hosts up to a dot ("eu."); may be repeated',
    value: 'host',
    fallback: 'eu.',
  }),
  allowHost: list({
    describe: 'Name that a listener on loopback serves beside the loopback names, * for any; may be repeated',
    value: 'host',
  }),
  tls: onOff({ describe: 'Serve HTTPS, with a certificate of an authority made for this start' }),
  publicUrl: text(
    { describe: 'Public address behind a proxy or in a container; its host is served', value: 'url' },
    'an http or https URL',
    /^https?:\/\/\S+$/,
  ),
  publicDaemonUrl: text(
    { describe: 'Public address of the intern daemons: scheme, host and port', value: 'url' },
    'an http or https URL',
    /^https?:\/\/\S+$/,
  ),
  cors: list({
    describe:
      'Origin whose pages may use the interface, beside loopback origins; * for any, none for none; may be repeated',
    value: 'origin',
    fallback: 'loopback origins',
  }),
  turnsPerMinute: whole(0, Number.MAX_SAFE_INTEGER, {
    describe: 'Chat turns per minute and caller; 0 for no limit',
    fallback: '60',
  }),
  interactionDeadline: duration({ describe: 'How long a question stays open', fallback: '5m' }),
  executionDeadline: duration({ describe: 'How long a run started by invoke may take', fallback: '1h' }),
  keepalive: duration({ describe: 'Silence after which a stream carries a keepalive', fallback: '30s' }),
  proofWindow: duration({ describe: 'Age up to which the emulated daemons accept a proof', fallback: '60s' }),
  controlToken: token({ describe: 'Token of the control interface; required beyond loopback' }),
  signingKey: path({ describe: 'Ed25519 private key for proofs: a PEM or JWK file', value: 'file' }),
  oidcIssuer: text(
    { describe: "Trust this OIDC issuer's access tokens too", value: 'url' },
    'an http or https URL',
    /^https?:\/\/\S+$/,
  ),
  oidcAudience: text({ describe: 'Audience that the tokens of that issuer must have (default: any)', value: 'text' }),
  replay: list({
    describe: 'Answer from recordings instead of emulating; may be repeated',
    value: 'file',
    path: 'always',
  }),
  replayElse: choice(['refuse', 'emulate'], {
    describe: 'Answer to a request that was not recorded: 501, or the answer of the emulator',
    fallback: 'refuse',
  }),
  matches: path({ describe: 'Scripts chosen by what a prompt says: a JSON file of {when, script}' }),
  chaos: path({ describe: 'Chaos profile: a JSON file of faults that apply from the start' }),
  spaceIdle: duration({ describe: 'How long an unused space stays, in real time', fallback: '10m' }),
  maxSpaces: whole(0, 100_000, { describe: 'How many spaces may exist at once', fallback: '1000' }),
  requireV2: onOff({ describe: 'The emulated daemons require v2 proofs' }),
  pace: {
    ...text({
      describe: 'Time between two words of what a script says without every; with --replay, between two writes',
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
  judge: onOff({
    describe:
      'Hold each request and its answer against the rules of the interface; the journal and the console show it',
  }),
  agentsMayRun: onOff({
    describe: 'Agents and the console may have commands run on this machine over HTTP (check_client, Lab)',
  }),
  exitWithParent: onOff({
    describe: 'Stop when the process that started it is gone, or npm; on by default under npx and npm run',
  }),
  json: onOff({ describe: 'Print the target descriptor as one line of JSON when ready' }),
  quiet: onOff({ describe: 'Print only the ready line and what goes wrong' }),
  logFormat: choice(['text', 'json'], {
    describe: 'Log on standard error, a line for each request',
    fallback: 'text',
  }),
} as const;

export type FlagName = keyof typeof FLAGS;

/** The settings given, by flag, variable or file. */
export type Given = { [N in FlagName]?: (typeof FLAGS)[N] extends Flag<infer T> ? T : never };

export const FLAG_NAMES = Object.keys(FLAGS) as FlagName[];

/** `turnsPerMinute` as `turns-per-minute`. */
export const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** `turnsPerMinute` as `INTERN_EMULATOR_TURNS_PER_MINUTE`. */
export const variable = (name: string): string => `INTERN_EMULATOR_${kebab(name).replaceAll('-', '_').toUpperCase()}`;
