import { dirname } from 'node:path';
import { visible } from '../../emulator/contract/visible.js';
import { diff } from '../engine/diff.js';
import { trend } from '../engine/trend.js';
import { UsageError } from '../framework/usage.js';
import { DIFF_REPORTERS } from '../reporters/comparison/diff.js';
import { TREND_REPORTERS } from '../reporters/comparison/trend.js';
import { folder, writeTo } from './folders.js';
import type { Io } from './io.js';
import { readReport, readReports } from './reports.js';
import { readSettings } from './settings.js';

type Reporters<Compared> = Readonly<
  Record<string, (compared: Compared, options?: { readonly colour?: boolean }) => string>
>;

/** Where the reports of a comparison go, each of a kind that there is. */
function destinations(report: unknown, kinds: readonly string[], command: string) {
  const { reports } = readSettings({ report }, {});
  for (const { kind, file } of reports) {
    if (!kinds.includes(kind)) throw new UsageError(`--report: ${command} writes ${kinds.join(', ')}, not ${kind}`);
    if (file !== undefined) folder(`--report ${kind}=${file}`, dirname(file));
  }
  return reports;
}

function write<Compared>(
  compared: Compared,
  reporters: Reporters<Compared>,
  reports: ReturnType<typeof destinations>,
  io: Io,
): void {
  for (const { kind, file } of reports) {
    const text = reporters[kind]?.(compared, { colour: io.colour && file === undefined }) ?? '';
    if (file === undefined) io.out(text);
    else writeTo(`--report ${kind}=${file}`, file, text);
  }
}

/** `report diff OLD NEW`: what differs between two runs (KIT-11). Exits 1 when something broke. */
export function diffCommand(files: readonly string[], report: unknown, io: Io): number {
  const [old, now, ...more] = files;
  if (old === undefined || now === undefined || more.length > 0)
    throw new UsageError(`report diff: expected two reports, the older one first, got ${files.length}`);
  const reports = destinations(report, Object.keys(DIFF_REPORTERS), 'report diff');
  const compared = diff(readReport(old), readReport(now));
  write(compared, DIFF_REPORTERS, reports, io);
  return compared.broken.length > 0 ? 1 : 0;
}

/** `report trend DIR`: what became of each check over the runs of a folder (KIT-11). */
export function trendCommand(from: string, report: unknown, io: Io): number {
  const reports = destinations(report, Object.keys(TREND_REPORTERS), 'report trend');
  const found = readReports(from, (line) => io.err(`intern-conformance: ${visible(line)}\n`));
  write(trend(found), TREND_REPORTERS, reports, io);
  return 0;
}
