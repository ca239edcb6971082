// Explores apps that are libraries' own examples (test/apps/real) by the built command, and holds what is found
// against what is true of each, as truths.json says. Runs each finding's schedule again, alone. Says what was false, what was
// missed, how many groups a defect has, and how many of them showed again.
//
//   npm run build && npm run explore-apps [-- APP…] [--again 3] [--busy 8]

import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ExploreReport, Finding } from '../conformance/explore/types.js';

interface Truth {
  readonly law: string;
  readonly request: string;
  readonly why: string;
}
interface RealApp {
  readonly command: readonly [string, ...string[]];
  readonly flags?: readonly string[];
  readonly truths: readonly Truth[];
}
type Found = Finding & { readonly file: string };

const ROOT = join(import.meta.dirname, '..');
const SOURCE = join(ROOT, 'test/apps/real');
const FOLDER = join(ROOT, '.tmp/explored');
const apps: Readonly<Record<string, RealApp>> = JSON.parse(readFileSync(join(SOURCE, 'truths.json'), 'utf8'));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { again: { type: 'string', default: '3' }, busy: { type: 'string', default: '0' } },
});

mkdirSync(FOLDER, { recursive: true });
cpSync(SOURCE, FOLDER, { recursive: true });
execFileSync('npm', ['install', '--no-audit', '--no-fund', '--legacy-peer-deps', '--loglevel=error'], { cwd: FOLDER });

/** The report of one exploration; undefined where the app does not run here, for it needs what is not installed. */
async function explored(app: RealApp, flags: readonly string[]): Promise<ExploreReport | undefined> {
  const bin = join(ROOT, 'dist/bin/intern-emulator.js');
  const args = [bin, 'explore', ...flags, '--report', 'json', '--', ...app.command];
  const child = spawn(process.execPath, args, { cwd: FOLDER, stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  for await (const text of child.stdout.setEncoding('utf8')) out += text;
  return out === '' ? undefined : (JSON.parse(out) as ExploreReport);
}

const busy = Array.from({ length: Number(values.busy) }, () => spawn(process.execPath, ['-e', 'for (;;);']));
const sums = { apps: 0, skipped: 0, groups: 0, defects: 0, wrong: 0, missed: 0, again: 0 };
try {
  for (const [name, app] of Object.entries(apps)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    const report = await explored(app, [...(app.flags ?? []), '--save', `schedules/${name}`]);
    if (report === undefined) {
      sums.skipped++;
      process.stdout.write(`${name}: does not run here\n`);
      continue;
    }
    const found = [...report.findings, ...report.unnoticed] as Found[];
    const isTrue = ({ law, request }: Found) => app.truths.some((one) => one.law === law && one.request === request);
    const met = (truth: Truth) => found.some(({ law, request }) => law === truth.law && request === truth.request);
    sums.apps++;
    sums.groups += found.length;
    sums.defects += app.truths.filter(met).length;
    process.stdout.write(`${name}: ${report.counts.run} schedules, ${Math.round(report.timing.ms / 1_000)} s\n`);
    for (const one of found) {
      let shown = 0;
      for (let n = 0; n < Number(values.again); n++) {
        const alone = await explored(app, ['--schedule', one.file]);
        if ([...(alone?.findings ?? []), ...(alone?.unnoticed ?? [])].some(({ law }) => law === one.law)) shown++;
      }
      if (shown === Number(values.again)) sums.again++;
      if (!isTrue(one)) sums.wrong++;
      process.stdout.write(
        `  ${isTrue(one) ? ' ' : 'FALSE'} ${one.law} ${one.request}: ${one.sentence} (again ${shown} of ${values.again})\n`,
      );
    }
    for (const truth of app.truths.filter((one) => !met(one))) {
      sums.missed++;
      process.stdout.write(`  MISSED ${truth.law} ${truth.request}: ${truth.why}\n`);
    }
  }
} finally {
  for (const child of busy) child.kill();
}
const { groups, defects, wrong, missed, again, skipped } = sums;
const share = (100 * (1 - wrong / Math.max(1, groups))).toFixed(0);
process.stdout.write(
  `${sums.apps} apps${skipped === 0 ? '' : `, ${skipped} not run`}: ${groups} groups of ${defects} defects, ${(groups / Math.max(1, defects)).toFixed(2)} a defect; ` +
    `${share} % true, ${wrong} false, ${missed} missed; ${again} of ${groups} shown again ${values.again} times; ` +
    `load ${loadavg().map(Math.round).join(', ')} on ${availableParallelism()} processors\n`,
);
process.exitCode = wrong + missed === 0 && again === groups ? 0 : 1;
