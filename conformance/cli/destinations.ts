import { appendFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { suggestion } from '../../emulator/contract/nearest.js';
import { UsageError } from '../framework/usage.js';
import type { TerminalOptions } from '../report/sheet/terminal.js';
import { type ReportTo, reportFlag, writeTo } from './folders.js';
import type { Io } from './io.js';
import { createValues, refuseEmpty } from './values.js';

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
 * The reports that `--report` asks for, each with a place of its own: the later of two in one file would overwrite the
 * other, minutes after it was asked for. `read` are the files that the call reads, by their flags.
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

/** A report as text, if a text can be as long: those that others wrote may hold more than one text does. */
function rendered(place: string, render: () => string): string {
  try {
    return render();
  } catch (error) {
    if (error instanceof RangeError && error.message === 'Invalid string length')
      throw new UsageError(`${place} cannot be written: it is too long for one text`);
    throw error;
  }
}

/** Writes each report to its destination, and one for GitHub to the summary of its job, too. */
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
