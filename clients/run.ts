import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Installed } from './install.js';

const ROOT = join(import.meta.dirname, '..');

/** A row of the kit's report, as far as it counts here. */
export interface Row {
  readonly id: string;
  readonly verdict: string;
  readonly finding?: { readonly what: string };
}
export interface Report {
  readonly target: { readonly url: string };
  readonly checks: readonly Row[];
}

/** The lab, run once over a client: all cases, or those that are named. */
function once({ command, folder }: Installed, only: readonly string[], files: { json: string; badge?: string }) {
  const kit = [
    '--import',
    import.meta.resolve('tsx'),
    join(ROOT, 'bin/intern-conformance.ts'),
    'client',
    ...['--seed', 'clients', '--cuts', 'none'],
    ...only.flatMap((id) => ['--only', id]),
    ...['--report', `json=${files.json}`],
    ...(files.badge === undefined ? [] : ['--report', `badge=${files.badge}`]),
    ...['--', ...command],
  ];
  return new Promise<Report>((resolve, reject) => {
    execFile(process.execPath, kit, { cwd: folder, maxBuffer: 1e9 }, (error, out, err) => {
      try {
        resolve(JSON.parse(readFileSync(files.json, 'utf8')) as Report);
      } catch {
        reject(new Error(`the lab wrote no report: ${error?.message.slice(0, 200)}\n${out}${err}`.trim()));
      }
    });
  });
}

const isBad = ({ verdict }: Row) => verdict === 'fail' || verdict === 'error';

/**
 * Runs the lab over a client. What failed is run once more, alone: on a busy machine a client may be late for no fault of
 * its own, and only what fails twice counts. Returns the rows.
 */
export async function runLab(installed: Installed, name: string, only: readonly string[] = [], badge?: string) {
  const folder = join(ROOT, '.tmp/clients/reports');
  mkdirSync(folder, { recursive: true });
  const json = join(folder, `${name}.json`);
  const report = await once(installed, only, { json, ...(badge === undefined ? {} : { badge }) });
  const again = report.checks.filter(isBad).map(({ id }) => id);
  rmSync(json);
  if (again.length === 0) return report;
  const second = new Map((await once(installed, again, { json })).checks.map((row) => [row.id, row]));
  return { ...report, checks: report.checks.map((row) => (isBad(row) ? (second.get(row.id) ?? row) : row)) };
}
