import { appendFileSync, lstatSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { suggestion } from '../../emulator/contract/nearest.js';
import { UsageError } from '../../emulator/contract/problem.js';
import { replaceFile } from '../../emulator/contract/replace-file.js';
import { inWords } from '../../emulator/contract/system-error.js';
import type { TerminalOptions } from '../report/sheet/terminal.js';
import { makeFolder } from '../run/ledger.js';
import type { Io } from './io.js';
import { createValues, refuseEmpty } from './values.js';

/** A report that a call asks for: to a file, or to standard output. */
export interface ReportTo<Kind> {
  readonly kind: Kind;
  readonly file: string | undefined;
}

export const reportFlag = ({ kind, file }: ReportTo<string>): string =>
  `--report ${kind}${file === undefined ? '' : `=${file}`}`;

/** Calls `write`, which writes to `place`. @throws UsageError with the place and the reason of a failure */
function writing(place: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw new UsageError(`${place} cannot be written: ${inWords(error)}`);
  }
}

/** Whether a path is written to by a new file in its place: a link is replaced, a device or pipe is written to. */
const isReplaced = (file: string): boolean =>
  statSync(file, { throwIfNoEntry: false })?.isFile() !== false && !/^\/(dev|proc)\//.test(resolve(file));

/** Writes a file. Makes its folder if it is missing. */
export const writeTo = (place: string, file: string, text: string): void =>
  writing(place, () => {
    makeFolder(dirname(file));
    if (isReplaced(file)) replaceFile(file, 0o666, (fd) => writeFileSync(fd, text));
    else writeFileSync(file, text);
  });

/** Makes a folder and its parents. */
export const folder = (place: string, path: string): void => writing(place, () => makeFolder(path));

/** Refuses a link as a folder for files that the kit names itself: a link from a foreign checkout may lead anywhere. */
export const refuseLink = (place: string, path: string): void =>
  writing(place, () => {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new Error('it is a link, and may lead elsewhere');
  });

/**
 * Makes the folders that a run writes to before the run begins: a report without a destination fails now, not after minutes.
 *
 * @throws UsageError naming the flag
 */
export function makeFolders({
  reports,
  save,
}: {
  readonly reports: readonly ReportTo<string>[];
  readonly save?: string | undefined;
}): void {
  for (const report of reports) {
    const { file } = report;
    if (file === undefined) continue;
    folder(reportFlag(report), dirname(file));
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true)
      throw new UsageError(`${reportFlag(report)} cannot be written: that is a folder; name a file in it`);
    if (isReplaced(file)) writing(reportFlag(report), () => replaceFile(file, 0o666, () => false));
  }
  if (save === undefined) return;
  refuseLink(`--save ${save}`, save);
  folder(`--save ${save}`, save);
}

/** A report as `--report` names it: `junit=junit.xml`. */
function reportOf<Kind extends string>(text: string, kinds: readonly Kind[]): ReportTo<Kind> {
  const [kind = '', ...rest] = text.split('=');
  const known = kinds.find((one) => one === kind);
  if (known === undefined)
    throw new UsageError(`--report: ${kind} is not known${suggestion(kind, kinds)}; known are ${kinds.join(', ')}`);
  const file = rest.length === 0 ? undefined : rest.join('=');
  if (file === '') throw new UsageError(`--report ${text}: expected a file after =`);
  return { kind: known, file };
}

/**
 * The reports that `--report` asks for.
 *
 * @param read the files that the command reads, by their flags
 * @throws UsageError for two reports with one destination, or a report that would overwrite a file of `read`
 */
export function reportsOf<Kind extends string>(
  report: unknown,
  kinds: readonly Kind[],
  read: Readonly<Record<string, string | undefined>> = {},
): readonly ReportTo<Kind>[] {
  refuseEmpty({ report });
  const reports = createValues({ report })
    .many('report')
    .map((one) => reportOf(one, kinds));
  const taken = new Map(
    Object.entries(read).flatMap(([flag, file]) => (file === undefined ? [] : [[resolve(file), `${flag} ${file}`]])),
  );
  for (const report of reports) {
    if (report.file === undefined) continue;
    const other = taken.get(resolve(report.file));
    if (other !== undefined)
      throw new UsageError(`${reportFlag(report)}: ${other} is the same file; give each a file of its own`);
    taken.set(resolve(report.file), reportFlag(report));
  }
  if (reports.filter(({ file, kind }) => file === undefined && kind !== 'tty').length > 1)
    throw new UsageError(
      '--report: only one of several can go to standard output; give the others a file, as in --report junit=junit.xml',
    );
  return reports.length === 0 ? [reportOf('tty', kinds)] : reports;
}

/** Renders a report. @throws UsageError for a report that is longer than a JavaScript string can be */
function rendered(place: string, render: () => string): string {
  try {
    return render();
  } catch (error) {
    if (error instanceof RangeError && error.message === 'Invalid string length')
      throw new UsageError(`${place} cannot be written: it is too long for one text`);
    throw error;
  }
}

/** Writes each report to its destination. A `github` report also goes to the summary of the job. */
export function deliver<Kind extends string>(
  reports: readonly ReportTo<Kind>[],
  render: (kind: Kind | 'markdown', looks?: TerminalOptions) => string,
  { out, env, colour, width }: Pick<Io, 'out' | 'env' | 'colour' | 'width'>,
): void {
  for (const report of reports) {
    const { kind, file } = report;
    const place = reportFlag(report);
    const text = rendered(place, () => render(kind, file === undefined ? { colour, width } : undefined));
    if (kind === 'github' && env.GITHUB_STEP_SUMMARY) appendFileSync(env.GITHUB_STEP_SUMMARY, render('markdown'));
    if (file === undefined) out(text);
    else writeTo(place, file, text);
  }
}
