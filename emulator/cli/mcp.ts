import { createDoor, type Door } from '../agents/door.js';
import { inWords } from '../contract/system-error.js';
import type { CommandModule, Io } from './command.js';
import type { Given } from './flags.js';
import { createLogging, flushAtEnd } from './logging.js';
import { resolveSettings, yargsOptions } from './settings.js';
import { untilStopped } from './signals.js';
import { start } from './start.js';
import { UsageError } from './usage.js';

/** The control interface of an emulator that was started without flags. */
const DEFAULT_CONTROL = 'http://127.0.0.1:4683/_emulator';
/** How long the default port, or the one that was named, may take to answer, in ms. */
const DEFAULT_WAIT = 1_000;
const NAMED_WAIT = 5_000;

/** Where an emulator is, and what was started for it. */
interface Attached {
  readonly control: string;
  readonly base: string;
  close(): Promise<void>;
}

const asked = async (url: string, token: string | undefined, ms: number) => {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(ms) });
  const answer = (await response.json()) as { status?: string; base_url?: string; error?: { message: string } };
  return { ok: response.ok, answer };
};

/** The emulator at a control URL. Throws an Error that says in a few words why there is none. */
async function attach(control: string, token: string | undefined, ms: number): Promise<Attached> {
  const { answer: health } = await asked(`${control}/health`, token, ms);
  if (health.status !== 'ok') throw new Error('no emulator answers there');
  const { ok, answer } = await asked(`${control}/target`, token, ms);
  if (!ok || answer.base_url === undefined)
    throw new Error(`${answer.error?.message ?? 'it has no target'}; see --control-token`);
  return { control, base: answer.base_url, close: async () => {} };
}

/** A URL as it was typed: with or without `/_emulator`. */
function controlUrl(given: unknown): string {
  const text = String(given).replace(/\/+$/, '');
  if (!URL.canParse(text) || !/^https?:/.test(text))
    throw new UsageError(`--control: expected the URL of a control interface; found ${JSON.stringify(given)}`);
  return text.endsWith('/_emulator') ? text : `${text}/_emulator`;
}

/** The emulator to serve: the one that is named, else the one at the default port, else one of its own. */
async function emulatorFor(argv: Record<string, unknown>, given: Given, token: string | undefined, io: Io) {
  if (argv.control !== undefined) {
    const control = controlUrl(argv.control);
    return attach(control, token, NAMED_WAIT).catch((error: Error) => {
      throw new UsageError(`--control ${control}: ${inWords(error.cause ?? error)}`);
    });
  }
  // Settings are for an emulator of its own.
  const settings = Object.keys(given).filter((name) => name !== 'controlToken');
  const found = settings.length > 0 ? undefined : await attach(DEFAULT_CONTROL, token, DEFAULT_WAIT).catch(() => {});
  if (found) return found;
  const logging = createLogging(io, given, given.logFormat === undefined && given.quiet !== true ? 'warn' : undefined);
  flushAtEnd(logging);
  const { emulator, at } = await start({ port: 0, clock: 'auto', ...given }, logging.options);
  return { control: at.controlUrl, base: at.baseUrl, close: () => emulator.close().finally(logging.flush) };
}

/** `intern-emulator mcp`: the agents' door over standard input and output, which carry nothing else (AGENT-1). */
const mcp: CommandModule = {
  options: () => ({
    control: { type: 'string', requiresArg: true, describe: 'Control URL of a running emulator' },
    ...yargsOptions({ port: 'a free one', daemonPort: 'a free one', clock: 'auto' }),
  }),
  async run({ argv, io }) {
    const given = resolveSettings(argv, io);
    const token = given.controlToken ?? (io.env.INTERN_CONTROL_TOKEN || undefined);
    const { control, base, close } = await emulatorFor(argv, given, token, io);
    const door: Door = createDoor(
      { fetch, control, base: () => base },
      {
        token,
        checks: async () => (await import('../../conformance/cli/checks.js')).CHECKS,
        mayRun: true,
        listens: true,
      },
    );
    const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
    const { createMcpServer } = await import('../agents/server.js');
    const over = new Promise<void>((resolve) => {
      process.stdin.once('end', resolve);
      process.stdin.once('close', resolve);
    });
    const served = serveStdio(() => createMcpServer(door));
    return untilStopped(
      async () => {
        await served.close();
        await close();
      },
      io.exit,
      { also: over },
    );
  },
};

export default mcp;
