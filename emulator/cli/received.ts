import { type FlagTable, list, text, toggle, UsageError } from '../../conformance/cli/arguments.js';
import { createClock } from '../clock/clock.js';
import type { ExplainBody, Explanation } from '../contract/signing-lab.js';
import { inWords } from '../contract/system-error.js';
import { explain } from '../daemon/explain.js';
import { readPublicKey } from '../signing/keys.js';
import type { Io } from './command.js';
import {
  given,
  needed,
  readBytes,
  readKeyFlag,
  readProfile,
  readRequestBody,
  requestOptions,
  seconds,
} from './proof-flags.js';

/** Flags of the commands that verify a request as a daemon received it. */
export const receivedOptions: FlagTable = {
  'public-key': text('Key to verify with: PEM, JWK or JWK set, or a file with one'),
  control: text('Instead: control URL of a running emulator, which knows what it signed'),
  header: list('A header of the request, "name: value"; repeatable', { alias: 'H' }),
  headers: text('File with the headers: JSON as from sign, or lines; - is standard input'),
  at: text('Unix seconds to verify at (default: now)'),
  window: text('Seconds a proof may be old (default: 60)'),
  'require-v2': toggle('Refuse requests that carry only a v1 proof'),
  ...requestOptions,
};

type HeaderLists = Record<string, string[]>;

function addLine(headers: HeaderLists, source: string, line: string): void {
  const at = line.indexOf(':');
  const name = line.slice(0, at).trim().toLowerCase();
  if (at < 1 || name === '') throw new UsageError(`${source}: expected "name: value"; found ${JSON.stringify(line)}`);
  headers[name] = [...(headers[name] ?? []), line.slice(at + 1).trim()];
}

function readHeaders(argv: Record<string, unknown>, io: Io): HeaderLists {
  const headers: HeaderLists = {};
  const file = given(argv, 'headers');
  if (file !== undefined) {
    const content = readBytes('headers', file, io).toString('utf8').trim();
    if (content.startsWith('{')) {
      let object: Record<string, unknown>;
      try {
        object = JSON.parse(content) as Record<string, unknown>;
      } catch {
        throw new UsageError(`--headers ${file}: it is not JSON`);
      }
      for (const [name, value] of Object.entries(object)) headers[name.toLowerCase()] = [value].flat().map(String);
    } else {
      for (const line of content.split(/\r?\n/).filter(Boolean)) addLine(headers, `--headers ${file}`, line);
    }
  }
  for (const line of [argv.header].flat()) if (line !== undefined) addLine(headers, '--header', String(line));
  if (Object.keys(headers).length === 0) throw new UsageError('give the headers with --header or --headers');
  return headers;
}

async function askEmulator(control: string, body: ExplainBody): Promise<Explanation> {
  const url = `${control.replace(/\/$/, '')}/signing/explain`;
  let response: Response;
  try {
    const headers = { 'content-type': 'application/json' };
    response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  } catch (error) {
    throw new UsageError(`--control ${control}: ${inWords((error as Error).cause ?? error)}`);
  }
  const answer = (await response.json()) as Explanation & { error?: { message: string } };
  if (!response.ok) throw new UsageError(`${url}: ${answer.error?.message ?? response.status}`);
  return answer;
}

/** Verifies the request that the flags describe, by a given key or by a running emulator. */
export async function explainReceived(argv: Record<string, unknown>, io: Io): Promise<Explanation> {
  const { bytes, sha256 } = readRequestBody(argv, io);
  const at = seconds(argv, 'at');
  const intern = given(argv, 'intern');
  const request: ExplainBody = {
    headers: readHeaders(argv, io),
    method: given(argv, 'method') ?? 'POST',
    path: given(argv, 'path') ?? '/',
    ...(bytes ? { body_base64: bytes.toString('base64') } : { body_sha256: sha256 }),
    ...(intern !== undefined && { intern_id: intern }),
    ...(at !== undefined && { at }),
  };
  const control = given(argv, 'control');
  const keyText = given(argv, 'public-key');
  if ((control === undefined) === (keyText === undefined))
    throw new UsageError('give either --public-key or --control');
  if (control !== undefined) return askEmulator(control, request);
  needed(argv, 'intern');
  try {
    return explain(
      {
        profile: readProfile(argv, io),
        publicKey: readKeyFlag('public-key', keyText ?? '', io, readPublicKey),
        now: createClock('real').now,
        window: (seconds(argv, 'window') ?? 60) * 1_000,
        requireV2: argv['require-v2'] === true,
      },
      request,
    );
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(`--header: ${error.message}`);
    throw error;
  }
}
