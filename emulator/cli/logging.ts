import pc from 'picocolors';
import { oneLine } from '../contract/visible.js';
import type { EmulatorOptions } from '../index.js';
import type { Io } from './command.js';
import type { GivenFlags } from './flags.js';
import { createLineWriter, createRequestLine } from './request-log.js';

type Log = NonNullable<EmulatorOptions['log']>;

const LEVELS = ['info', 'warn', 'error'] as const;

/**
 * Writes requests and records of an emulator to standard error: a readable line each, coloured on a terminal, or JSON
 * (SEE-1). With `--quiet` it writes only what goes wrong; from `warn` on, also the first run that waits for the clock.
 * If not everything is written, requests are not even looked at.
 */
export function createLogging(
  { err, colors }: Pick<Io, 'err' | 'colors'>,
  given: Pick<GivenFlags, 'quiet' | 'logFormat'>,
  least: (typeof LEVELS)[number] = given.quiet ? 'error' : 'info',
) {
  const { write, flush } = createLineWriter(err);
  const json = given.logFormat === 'json';
  const line = createRequestLine(pc.createColors(colors));
  const shown = new Set<unknown>(LEVELS.slice(LEVELS.indexOf(least)));
  let waitTold = false;
  const log: Log = (record) => {
    // Beside a command, one wait says that the clock stands still. Tests with a space each would fill the screen with
    // their waits.
    if (least === 'warn' && record.event === 'waits') {
      if (waitTold) return;
      waitTold = true;
    }
    if (shown.has(record.level ?? 'info')) write(json ? JSON.stringify(record) : readable(record));
  };
  const onRequest: EmulatorOptions['onRequest'] = json
    ? (record) => write(() => JSON.stringify(record))
    : (record, internName) => write(() => line(record, internName));
  return { log, options: least === 'info' ? { log, onRequest } : { log }, flush };
}

/** Writes the waiting lines before the process ends, whether it is stopped, exits or crashes. */
export function flushAtEnd({ flush }: Pick<ReturnType<typeof createLogging>, 'flush'>): void {
  process.on('uncaughtExceptionMonitor', flush);
  process.on('exit', flush);
}

/** Reports that may fill a screen: errors of the emulator itself. */
const LONG: ReadonlySet<string> = new Set(['error']);

const listed = (value: unknown, by: string): string => (Array.isArray(value) ? value.join(by) : String(value));

/** Records that are written as sentences. In JSON they stay records. */
const SENTENCES: Readonly<Record<string, (record: Record<string, unknown>) => string>> = {
  scripts_reloaded: ({ names, gone }) =>
    [listed(names, ', '), listed(gone, ', ')]
      .flatMap((list, at) => (list === '' ? [] : `scripts ${at === 0 ? 'read again' : 'gone'}: ${list}`))
      .join('; ') || 'scripts read again: unchanged',
  scripts_not_reloaded: ({ file, problems }) =>
    `${file}: ${listed(problems, '; ')}. The scripts stay as they were until you fix it`,
  script_skipped: ({ file, problem }) => `${file} is left out: ${problem}`,
  stored_script_ignored: ({ script, problems }) => `the stored script ${script} is left out: ${listed(problems, '; ')}`,
  recorded: ({ n, operation, status, scenario, ended }) =>
    `recorded ${n}: ${operation ?? 'another call'}, ${status === null ? 'no answer' : status}${scenario === null ? '' : `, in ${scenario}`}${ended === 'complete' ? '' : `, ${ended}`}`,
  not_recorded: ({ method, path, problem }) => `${method} ${path} is not recorded: ${problem}`,
  unreachable: ({ method, path, problem }) => `${method} ${path}: the deployment cannot be reached: ${problem}`,
};

function readable({ level, event, ...rest }: Record<string, unknown>): string {
  const sentence = SENTENCES[String(event)];
  if (sentence) return oneLine(`${level === 'error' ? 'error: ' : ''}${sentence(rest)}`);
  // A sentence needs no name beside it.
  if (level === 'warn' && Object.keys(rest).join() === 'message') return oneLine(String(rest.message));
  const details = Object.entries(rest).map(([key, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const quoted = typeof value === 'string' && /\s/.test(value) ? JSON.stringify(value) : text;
    return `${key}=${LONG.has(key) ? quoted : oneLine(quoted ?? '')}`;
  });
  return [level === undefined || level === 'info' ? '' : `${level}:`, event ?? '', ...details]
    .filter(Boolean)
    .join(' ');
}
