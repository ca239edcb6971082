import { shellWord } from '../../emulator/contract/pasted.js';
import { visible } from '../../emulator/contract/visible.js';
import type { FailOn } from '../framework/known.js';
import { UsageError } from '../framework/usage.js';
import { judgeFiles } from '../judge/files.js';
import { createJudge } from '../judge/judge.js';
import { counted } from '../reporters/counted.js';
import { RULES } from '../rules/index.js';
import { readBaseline } from './baseline.js';
import { chosen } from './engine.js';
import { makeFolders } from './folders.js';
import { deliver, type Io } from './io.js';
import type { Settings } from './settings.js';
import { createValues, type Flags, given } from './values.js';

const FAIL_ON: readonly FailOn[] = ['fail', 'warn', 'once'];

/** From which verdict on a judge fails. @throws UsageError for any other word */
export const failOnOf = (flags: Flags): FailOn | undefined => createValues(flags).choice('fail_on', FAIL_ON);

/** `intern-conformance judge FILE…`: judges what files hold, and sends nothing. Answers the exit code. */
export function judgeCommand(files: readonly string[], settings: Settings, failOn: FailOn | undefined, io: Io): number {
  if (files.length === 0)
    throw new UsageError('judge: name the recordings or HAR files to judge, as in: judge session.har');
  makeFolders(settings);
  const { profile, publicKeys, baseline } = settings;
  const known = baseline === undefined ? undefined : readBaseline(baseline, false);
  const only = new Set(chosen(RULES, settings).map(({ id }) => id));
  const judge = createJudge({ ...given({ profile }), publicKeys, only });
  judgeFiles(judge, files, (message) => io.err(visible(`${message}\n`)));
  const { seen, ignored } = judge.counts;
  const command = ['intern-conformance', 'judge', ...files].map((word) => shellWord(word)).join(' ');
  const report = judge.report({ ...given({ failOn, baseline: known }), command });
  deliver(report, settings, io);
  io.err(`${counted(seen, 'exchange')} judged, ${ignored} passed over\n`);
  return report.exit;
}
