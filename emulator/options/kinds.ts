import {
  FUNCTION,
  isFunction,
  isText,
  type Kind,
  OBJECT,
  SWITCH,
  TEXT,
  TEXTS,
  WHOLE,
} from '../contract/option-kinds.js';
import { isRecord } from '../contract/record.js';
import type { EmulatorOptions } from './options.js';

const isScript = (value: unknown) =>
  isRecord(value) &&
  isText(value.name) &&
  (value.turn === undefined || isFunction(value.turn) || Array.isArray(value.turn));

const PATH_OR_OBJECT: Kind = ['a path or an object', (value) => isText(value) || isRecord(value)];

/** Every option. The contents of an object or a file are validated where they are read. */
export const KINDS: Readonly<Record<keyof EmulatorOptions, Kind>> = {
  data: ['a path', (value) => isText(value) && value !== ''],
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
