import { visible } from '../../emulator/contract/visible.js';
import { UsageError } from '../framework/usage.js';
import { DIFF_REPORTERS, SHEET_KINDS } from '../report/comparison/diff.js';
import { TREND_REPORTERS } from '../report/comparison/trend.js';
import { diff, trend } from '../run/diff.js';
import { deliver, makeFolders, reportsOf } from './destinations.js';
import { readReport, readReports } from './files.js';
import type { Io } from './io.js';

/** `report diff OLD NEW`: what differs between two runs (KIT-11). Exits 1 when something broke. */
export function diffCommand(files: readonly string[], report: unknown, io: Io): number {
  const [old, now, ...more] = files;
  if (old === undefined || now === undefined || more.length > 0)
    throw new UsageError(`report diff: expected two reports, the older one first, got ${files.length}`);
  const reports = reportsOf(report, SHEET_KINDS);
  makeFolders({ reports });
  const compared = diff(readReport(old), readReport(now));
  deliver(reports, (kind, looks) => DIFF_REPORTERS[kind](compared, looks), io);
  return compared.broken.length > 0 ? 1 : 0;
}

/** `report trend DIR`: the verdicts of each check over the runs of a folder (KIT-11). */
export function trendCommand(from: string, report: unknown, io: Io): number {
  const reports = reportsOf(report, SHEET_KINDS);
  makeFolders({ reports });
  const found = trend(readReports(from, (line) => io.err(`intern-conformance: ${visible(line)}\n`)));
  deliver(reports, (kind, looks) => TREND_REPORTERS[kind](found, looks), io);
  return 0;
}
