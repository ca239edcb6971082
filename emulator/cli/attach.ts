import { UsageError } from '../../conformance/cli/arguments.js';
import { inWords } from '../contract/system-error.js';
import type { Emulator } from '../index.js';
import type { Io } from './command.js';
import type { GivenFlags } from './flags.js';
import { createLogging, flushAtEnd } from './logging.js';
import { start } from './start.js';

/** The control interface of an emulator that was started without flags. */
const DEFAULT_CONTROL = 'http://127.0.0.1:4683/_emulator';
/** How long the default port, or the one that was named, may take to answer, in ms. */
const DEFAULT_WAIT = 1_000;
const NAMED_WAIT = 5_000;

/** The address of an emulator, and the process that was started for it. */
interface Attached {
  readonly control: string;
  readonly base: string;
  /** Without a socket where it is one of its own, whatever that serves. */
  readonly fetch: Emulator['fetch'];
  close(): Promise<void>;
}

const asked = async (url: string, token: string | undefined, ms: number) => {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(ms) });
  const answer = (await response.json()) as { status?: string; base_url?: string; error?: { message: string } };
  return { ok: response.ok, answer };
};

/** An emulator that answers, and does not let this one in. */
class Closed extends Error {}

/** The emulator at a control URL. Throws an Error that says in a few words why there is none. */
async function attach(control: string, token: string | undefined, ms: number): Promise<Attached> {
  const { answer: health } = await asked(`${control}/health`, token, ms);
  if (health.status !== 'ok') throw new Error('no emulator answers there');
  const { ok, answer } = await asked(`${control}/target`, token, ms);
  if (!ok || answer.base_url === undefined)
    throw new Closed(`${answer.error?.message ?? 'it has no target'}; see --control-token`);
  return { control, base: answer.base_url, fetch, close: async () => {} };
}

/** A URL as it was typed: with or without `/_emulator`. */
function controlUrl(given: unknown): string {
  const text = String(given).replace(/\/+$/, '');
  if (!URL.canParse(text) || !/^https?:/.test(text))
    throw new UsageError(`--control: expected the URL of a control interface; found ${JSON.stringify(given)}`);
  return text.endsWith('/_emulator') ? text : `${text}/_emulator`;
}

/** The emulator of the default port, if settings ask for no other and it lets this one in. */
export async function attachToDefault(given: GivenFlags, token: string | undefined, io: Io, control = DEFAULT_CONTROL) {
  // Settings are for an emulator of its own.
  if (Object.keys(given).some((name) => name !== 'controlToken')) return undefined;
  return attach(control, token, DEFAULT_WAIT).catch((error: unknown) => {
    if (error instanceof Closed) io.err(`intern-emulator: ${control}: ${error.message}; serving one of its own\n`);
  });
}

/**
 * The emulator to serve: the one that is named, else the one at the default port, else one of its own (AGENT-1).
 *
 * @throws UsageError where the one that is named does not answer
 */
export async function emulatorFor(
  argv: Record<string, unknown>,
  given: GivenFlags,
  token: string | undefined,
  io: Io,
): Promise<Attached> {
  if (argv.control !== undefined) {
    const control = controlUrl(argv.control);
    return attach(control, token, NAMED_WAIT).catch((error: Error) => {
      throw new UsageError(`--control ${control}: ${inWords(error.cause ?? error)}`);
    });
  }
  const found = await attachToDefault(given, token, io);
  if (found) return found;
  const logging = createLogging(io, given, given.logFormat === undefined && given.quiet !== true ? 'warn' : undefined);
  flushAtEnd(logging);
  const { emulator, at } = await start({ port: 0, clock: 'auto', ...given }, logging.options);
  return {
    control: at.controlUrl,
    base: at.baseUrl,
    fetch: emulator.fetch,
    close: () => emulator.close().finally(logging.flush),
  };
}
