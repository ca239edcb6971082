import { list, text, toggle, UsageError } from '../../conformance/cli/arguments.js';
import { inWords } from '../contract/system-error.js';
import { AdmissionInvalid } from '../recording/admission.js';
import { RecordingFileError } from '../recording/files.js';
import { record } from '../recording/record.js';
import type { CommandModule } from './command.js';
import { parsed } from './config.js';
import { FLAGS } from './flags.js';
import { createLogging, flushAtEnd } from './logging.js';
import { parentGone } from './parent.js';
import { untilStopped } from './signals.js';

/** The recorder's port by default. An emulator may listen beside it. */
const DEFAULT_PORT = 4690;

/**
 * How long a stopped recorder may take to write the lines of past exchanges, in ms. A second signal ends it at once.
 */
const LONGEST_STOP = 60_000;

/** The base URL of a deployment, as given. */
function deployment(given: unknown): URL {
  const text = String(given ?? '');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`record: expected the http or https base URL of a deployment; found ${JSON.stringify(text)}`);
  }
  if (url.username || url.password) throw new UsageError('record: the URL may not hold a user name or password');
  if (!/\/api\/v1\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '') {
    throw new UsageError(`record: a base URL ends in /api/v1; found ${JSON.stringify(text)}`);
  }
  return url;
}

/** The smallest and the largest limit of an exchange: a line of a file must fit into one text. */
const LIMITS = { least: 65_536, most: 134_217_728 };
const UNITS: Readonly<Record<string, number>> = { '': 1, kb: 1_024, mb: 1_048_576 };

function limitOf(given: unknown): number | undefined {
  if (given === undefined) return undefined;
  const [, digits = '', unit = ''] = /^(\d{1,9})(kb|mb|)$/i.exec(String(given)) ?? [];
  const size = digits === '' ? Number.NaN : Number(digits) * (UNITS[unit.toLowerCase()] ?? Number.NaN);
  if (size >= LIMITS.least && size <= LIMITS.most) return size;
  throw new UsageError(`--limit: expected a size from 64kb to 128mb; found ${JSON.stringify(String(given))}`);
}

const listOf = (given: unknown): string[] => (Array.isArray(given) ? given.map(String) : []);

/** `intern-emulator record URL --out FILE`: a proxy of a deployment that writes down each exchange (REC-1). */
const command: CommandModule = {
  flags: {
    out: text('File of the recording: one line of JSON for each exchange'),
    name: text('Scenario of requests that name none (NAME.jsonl beside --out)'),
    force: toggle('Overwrite existing files'),
    host: text('Address to listen on', { fallback: '127.0.0.1' }),
    port: text('Port; 0 picks one', { fallback: `${DEFAULT_PORT}` }),
    'allow-host': list(FLAGS.allowHost.describe),
    cors: list(
      'Origin whose pages may use the recorder, beside loopback origins; * for any, none for none; may be repeated',
    ),
    limit: text('How much of one exchange is recorded; all of it passes', { fallback: '64mb' }),
    'exit-with-parent': toggle(FLAGS.exitWithParent.describe),
    quiet: toggle('Print only the ready line and what goes wrong'),
    'log-format': text('Form of the log on standard error', { choices: ['text', 'json'] }),
  },
  async run({ argv, io }) {
    const url = deployment(argv.url);
    if (typeof argv.out !== 'string') throw new UsageError('record: name the file to record into with --out');
    const port = parsed('--port', FLAGS.daemonPort, String(argv.port ?? DEFAULT_PORT));
    const host = typeof argv.host === 'string' ? argv.host : '127.0.0.1';
    const logging = createLogging(io, {
      quiet: argv.quiet === true,
      logFormat: argv['log-format'] === 'json' ? 'json' : 'text',
    });
    flushAtEnd(logging);
    try {
      const proxy = await record({
        url,
        out: argv.out,
        name: typeof argv.name === 'string' ? argv.name : undefined,
        force: argv.force === true,
        host,
        port,
        allowHosts: listOf(argv['allow-host']),
        cors: listOf(argv.cors),
        limit: limitOf(argv.limit),
        env: io.env,
        now: () => performance.now(),
        log: logging.log,
      });
      const stopped = untilStopped(() => proxy.close().finally(logging.flush), io.exit, {
        longest: LONGEST_STOP,
        also: parentGone(argv['exit-with-parent'] as boolean | undefined, io),
      });
      io.out(`intern-emulator records ${url.href} at ${proxy.baseUrl}\n`);
      return await stopped;
    } catch (error) {
      if (error instanceof RecordingFileError || error instanceof AdmissionInvalid)
        throw new UsageError(`record: ${error.message}`, { cause: error });
      const { syscall } = error as NodeJS.ErrnoException;
      if (syscall !== 'listen' && syscall !== 'getaddrinfo') throw error;
      throw new UsageError(`cannot listen on ${host} port ${port}: ${inWords(error)}; choose another with --port`, {
        cause: error,
      });
    }
  },
};

export default command;
