import { given } from '../../emulator/contract/given.js';
import { shellWord } from '../../emulator/contract/pasted.js';
import { UsageError } from '../../emulator/contract/problem.js';
import { inWords } from '../../emulator/contract/system-error.js';
import { visible } from '../../emulator/contract/visible.js';
import { judgeFiles } from '../judge/files.js';
import { createJudge, type Judge, metBy } from '../judge/judge.js';
import { startLive } from '../judge/live.js';
import type { Stop } from '../model/skip.js';
import { RULES } from '../rules/index.js';
import type { CheckResult, FailOn } from '../run/results.js';
import { chosenOf } from '../run/select.js';
import { asKnown } from '../run/verdict.js';
import { concluded } from './engine.js';
import type { Io } from './io.js';
import type { Settings } from './settings.js';
import { createValues, type Flags } from './values.js';

const FAIL_ON: readonly FailOn[] = ['fail', 'warn', 'once'];

/** ms for which exchanges under way are passed on after the first Ctrl-C. */
const PATIENCE = 10_000;

function deployment(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const right = url !== undefined && /^https?:$/.test(url.protocol) && /\/api\/v\d+\/?$/.test(url.pathname);
  const isBare = [url?.username, url?.password, url?.search, url?.hash].every((part) => part === '');
  if (right && isBare) return url;
  throw new UsageError(`--to: expected an http or https address that ends in /api/v1, got ${JSON.stringify(text)}`);
}

/** The port to listen on, and the deployment behind it. Undefined for judging files. @throws UsageError in one line */
function listening(
  files: readonly string[],
  flags: Flags,
): { readonly port: number; readonly target: URL } | undefined {
  const { whole, word } = createValues(flags);
  const [port, to] = [whole('listen', 0), word('to')];
  if (port === undefined && to === undefined) {
    if (files.length > 0) return undefined;
    throw new UsageError('judge: name the recordings or HAR files to judge, as in: judge session.har');
  }
  if (port === undefined || to === undefined)
    throw new UsageError('judge: --listen PORT and --to URL belong together, as in: judge --listen 4691 --to URL');
  if (files.length > 0) throw new UsageError('judge: expected files, or --listen and --to; got both');
  if (port > 65_535) throw new UsageError(`--listen: expected a port from 0 to 65535, got ${port}`);
  return { port, target: deployment(to) };
}

/** Judges files until it is interrupted. */
async function judgeAll(judge: Judge, files: readonly string[], { err, signal }: Io): Promise<Stop | undefined> {
  try {
    await judgeFiles(judge, files, { warn: (message) => err(visible(`${message}\n`)), signal });
    return undefined;
  } catch (error) {
    if (!signal.aborted) throw error;
    return { kind: 'interrupted' };
  }
}

/** Judges the traffic of a port until it is interrupted or its time is over. */
async function listen(
  judge: Judge,
  { port, target }: { readonly port: number; readonly target: URL },
  { maxTime }: Settings,
  io: Io,
): Promise<undefined> {
  const said = new Set<string>();
  const failed = (problem: string) => {
    if (said.has(problem) || said.size > 100) return;
    said.add(problem);
    io.err(visible(`not judged: ${problem}\n`));
  };
  const again = io.again?.();
  const proxy = await startLive({ judge, target, port, host: io.host, failed }).catch((error) => {
    if ((error as NodeJS.ErrnoException).syscall !== 'listen') throw error;
    throw new UsageError(`cannot listen on port ${port}: ${inWords(error)}; choose another with --listen`);
  });
  io.out(`listening ${proxy.baseUrl}\n`);
  await new Promise<void>((resolve) => {
    const forget = maxTime === undefined ? () => {} : io.host.later(maxTime, resolve);
    const interrupted = () => {
      forget();
      resolve();
    };
    if (io.signal.aborted) interrupted();
    io.signal.addEventListener('abort', interrupted, { once: true });
    void io.gone?.()?.then(interrupted);
  });
  const ended = new AbortController();
  const patience = io.host.sleep(PATIENCE, AbortSignal.any([ended.signal, ...(again === undefined ? [] : [again])]));
  await proxy.close(patience.catch(() => {}));
  ended.abort();
}

/**
 * `intern-conformance judge FILE…`, or `--listen PORT --to URL`: judges the traffic of others, and sends nothing itself. Returns
 * the exit code.
 */
export async function judgeCommand(
  files: readonly string[],
  { fail_on, ...flags }: Flags,
  settings: Settings,
  io: Io,
): Promise<number> {
  const live = listening(files, flags);
  const failOn = createValues(given({ fail_on })).choice('fail_on', FAIL_ON);
  const { profile, publicKeys, workspaceId } = settings;
  const only = new Set(chosenOf(RULES, settings).map(({ id }) => id));
  let met = '';
  const exit = await concluded(settings, { ...io, live: false }, async ({ baseline, events }) => {
    const confirmed = (row: CheckResult) => {
      if (asKnown(row, baseline, io.host.now(), failOn).known !== true) events?.checkEnd?.(row, { index: 0, of: 0 });
    };
    const judge = createJudge({
      ...given({ profile, workspace: workspaceId }),
      publicKeys,
      only,
      ...(live === undefined ? {} : { confirmed }),
    });
    const stopped = live === undefined ? await judgeAll(judge, files, io) : await listen(judge, live, settings, io);
    const source = live === undefined ? files : ['--listen', String(live.port), '--to', live.target.href];
    const command = ['intern-conformance', 'judge', ...source].map((word) => shellWord(word)).join(' ');
    met = metBy(judge);
    return judge.report({ ...given({ failOn, baseline, stopped }), command });
  });
  io.err(`${met}\n`);
  return exit;
}
