import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type FlagTable, text, UsageError } from '../../conformance/cli/arguments.js';
import { jsonIn } from '../contract/file.js';
import { type Profile, profileSchema, shippedProfile } from '../contract/profile.js';
import { inWords } from '../contract/system-error.js';
import { isKeyText, UnusableKey } from '../signing/keys.js';
import type { Io } from './command.js';

/** The flags that `sign`, `verify` and `explain` share: the request that a proof is for. */
export const requestOptions: FlagTable = {
  intern: text('Intern id'),
  method: text('Method of the daemon request'),
  path: text('Path of the daemon request, percent-encoded, without query'),
  body: text('Body of the daemon request (default: empty)'),
  'body-file': text('File with the body; - is standard input'),
  'body-sha256': text('Digest of the body, instead of the body'),
  profile: text('svc, openrouter, or a profile file (default: svc)'),
};

/** A flag's last value. */
export const given = (argv: Record<string, unknown>, name: string): string | undefined => {
  const value = [argv[name]].flat().at(-1);
  return value === undefined ? undefined : String(value);
};

export function needed(argv: Record<string, unknown>, name: string): string {
  const value = given(argv, name);
  if (value === undefined || value === '') throw new UsageError(`--${name} is required`);
  return value;
}

export function readBytes(flag: string, file: string, io: Pick<Io, 'folder'>): Buffer {
  try {
    return readFileSync(file === '-' ? 0 : resolve(io.folder, file));
  } catch (error) {
    throw new UsageError(`--${flag} ${file}: ${inWords(error)}`);
  }
}

/** The body, or its digest alone. Throws a {@link UsageError} when more than one is given. */
export function readRequestBody(
  argv: Record<string, unknown>,
  io: Pick<Io, 'folder'>,
): { bytes?: Buffer; sha256: string } {
  const names = ['body', 'body-file', 'body-sha256'].filter((name) => argv[name] !== undefined);
  if (names.length > 1) throw new UsageError(`--${names.join(' and --')} exclude each other: give one`);
  const digest = given(argv, 'body-sha256');
  if (digest !== undefined) {
    if (!/^[0-9a-f]{64}$/.test(digest))
      throw new UsageError('--body-sha256: expected 64 lower-case hexadecimal digits');
    return { sha256: digest };
  }
  const file = given(argv, 'body-file');
  const bytes = file === undefined ? Buffer.from(given(argv, 'body') ?? '') : readBytes('body-file', file, io);
  return { bytes, sha256: hash('sha256', bytes, 'hex') };
}

export function readProfile(argv: Record<string, unknown>, io: Pick<Io, 'folder'>): Profile {
  const name = given(argv, 'profile') ?? 'svc';
  const own = () => jsonIn(readBytes('profile', name, io).toString('utf8'), `--profile ${name}`, profileSchema);
  return shippedProfile(name) ?? own();
}

/** Reads a key given as text, or as a file with one, through `read`. */
export function readKeyFlag<Key>(
  flag: string,
  value: string,
  io: Pick<Io, 'folder'>,
  read: (text: string) => Key,
): Key {
  const content = isKeyText(value) ? value : readBytes(flag, value, io).toString('utf8');
  try {
    return read(content);
  } catch (error) {
    if (error instanceof UnusableKey) throw new UsageError(`--${flag}: ${error.message}`);
    throw error;
  }
}

export function seconds(argv: Record<string, unknown>, name: string): number | undefined {
  const value = given(argv, name);
  if (value === undefined) return undefined;
  if (!/^\d+(\.\d+)?$/.test(value)) throw new UsageError(`--${name}: expected seconds; found ${JSON.stringify(value)}`);
  return Number(value);
}
