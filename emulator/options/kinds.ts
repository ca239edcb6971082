import { suggestion } from '../contract/nearest.js';
import { shown } from '../contract/problem.js';
import { isRecord } from '../contract/record.js';
import type { EmulatorOptions } from './options.js';

/** The values that an option takes: in words, and as a test. */
export type Kind = readonly [expected: string, fits: (value: unknown) => boolean];

const isText = (value: unknown): value is string => typeof value === 'string';
const isFunction = (value: unknown) => typeof value === 'function';
const isScript = (value: unknown) =>
  isRecord(value) &&
  isText(value.name) &&
  (value.turn === undefined || isFunction(value.turn) || Array.isArray(value.turn));

export const TEXT: Kind = ['a string', isText];
const TEXTS: Kind = ['an array of strings', (value) => Array.isArray(value) && value.every(isText)];
export const SWITCH: Kind = ['a boolean', (value) => typeof value === 'boolean'];
const OBJECT: Kind = ['an object', isRecord];
const PATH_OR_OBJECT: Kind = ['a path or an object', (value) => isText(value) || isRecord(value)];
const FUNCTION: Kind = ['a function', isFunction];
export const WHOLE: Kind = ['a whole number from 0', (value) => Number.isSafeInteger(value) && (value as number) >= 0];

/** Every option. The contents of an object or a file are validated where they are read. */
const KINDS: Readonly<Record<keyof EmulatorOptions, Kind>> = {
  data: TEXT,
  fsync: SWITCH,
  seedFile: PATH_OR_OBJECT,
  seed: TEXT,
  profile: PATH_OR_OBJECT,
  clock: ['"real", "virtual" or "auto"', (value) => value === 'real' || value === 'virtual' || value === 'auto'],
  scripts: [
    'an array of scripts, {name, turn} with turn an async generator function or the steps of a JSON script (files are scriptFiles)',
    (value) => Array.isArray(value) && value.every(isScript),
  ],
  scriptFiles: TEXTS,
  regionalHosts: TEXTS,
  allowHosts: TEXTS,
  cors: TEXTS,
  publicUrl: TEXT,
  publicDaemonUrl: TEXT,
  settings: OBJECT,
  controlToken: ['visible ASCII characters, without spaces', (value) => isText(value) && /^[\x21-\x7e]+$/.test(value)],
  signingKey: TEXT,
  oidcIssuer: TEXT,
  oidcAudience: TEXT,
  requireV2: SWITCH,
  matches: ['a path or an array of {when, script}', (value) => isText(value) || Array.isArray(value)],
  chaos: ['a path or an array of faults', (value) => isText(value) || isRecord(value) || Array.isArray(value)],
  disturbances: FUNCTION,
  checks: FUNCTION,
  judge: FUNCTION,
  agentsMayRun: SWITCH,
  spaceIdle: WHOLE,
  maxSpaces: WHOLE,
  replay: ['{files: [path, …], pace?, otherwise?}', (value) => isRecord(value) && TEXTS[1](value.files)],
  log: FUNCTION,
  quiet: SWITCH,
  onRequest: FUNCTION,
};

/** The first option that is unknown or invalid, as a sentence. A caller in JavaScript has no compiler that checked them. */
export function wrongOption(options: object, kinds: Readonly<Record<string, Kind>> = KINDS): string | undefined {
  for (const [name, value] of Object.entries(options)) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (!kind) return `unknown option ${name}${suggestion(name, Object.keys(kinds))}`;
    const [expected, fits] = kind;
    // An invalid secret is shown by its type alone.
    const secret = name === 'signingKey' || name === 'controlToken';
    if (value !== undefined && !fits(value))
      return `${name}: expected ${expected}; found ${secret ? typeof value : typeof value === 'function' ? 'a function' : shown(value)}`;
  }
  return undefined;
}
