// Explores apps that are libraries' own examples (test/apps/real) by the built command, and holds what is found
// against what is true of each, as truths.json says. Runs each finding's schedule again, alone. Says what was false, what was
// missed, how many groups a defect has, and how many of them showed again.
//
//   npm run build && npm run explore-apps [-- APP…] [--again 3] [--busy 8] [--write]
//
// With --write the score of each app goes to test/apps/real/score.json, which a table of docs/explore-apps.md is made of.

import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ExploreReport, Finding } from '../conformance/explore/types.js';
import { byRow } from './by-row.js';
import { type RealScore, type RealScores, sumOf, sumText } from './explore-rows.js';

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
  options: {
    again: { type: 'string', default: '3' },
    busy: { type: 'string', default: '0' },
    write: { type: 'boolean', default: false },
  },
});
const AGAIN = Number(values.again);
const SCORES = join(SOURCE, 'score.json');

/** Keeps the score of an app beside those of the others, and of other loads. */
function keep(name: string, score: RealScore): void {
  const kept = JSON.parse(readFileSync(SCORES, 'utf8')) as RealScores;
  const busy = { ...kept[values.busy], [name]: score };
  const inOrder = Object.keys(apps).flatMap((app) => (busy[app] ? [[app, busy[app]] as const] : []));
  writeFileSync(SCORES, byRow({ ...kept, [values.busy]: Object.fromEntries(inOrder) }, 2));
}

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
const scores: RealScore[] = [];
let skipped = 0;
try {
  for (const [name, app] of Object.entries(apps)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    const report = await explored(app, [...(app.flags ?? []), '--save', `schedules/${name}`]);
    if (report === undefined) {
      skipped++;
      process.stdout.write(`${name}: does not run here\n`);
      continue;
    }
    const found = [...report.findings, ...report.unnoticed] as Found[];
    const isTrue = ({ law, request }: Found) => app.truths.some((one) => one.law === law && one.request === request);
    const met = (truth: Truth) => found.some(({ law, request }) => law === truth.law && request === truth.request);
    process.stdout.write(`${name}: ${report.counts.run} schedules, ${Math.round(report.timing.ms / 1_000)} s\n`);
    let again = 0;
    for (const one of found) {
      let shown = 0;
      for (let n = 0; n < AGAIN; n++) {
        const alone = await explored(app, ['--schedule', one.file]);
        if ([...(alone?.findings ?? []), ...(alone?.unnoticed ?? [])].some(({ law }) => law === one.law)) shown++;
      }
      if (shown === AGAIN) again++;
      process.stdout.write(
        `  ${isTrue(one) ? ' ' : 'FALSE'} ${one.law} ${one.request}: ${one.sentence} (again ${shown} of ${AGAIN})\n`,
      );
    }
    const missed = app.truths.filter((one) => !met(one));
    for (const truth of missed) process.stdout.write(`  MISSED ${truth.law} ${truth.request}: ${truth.why}\n`);
    const score: RealScore = {
      schedules: report.counts.run,
      groups: found.length,
      defects: app.truths.filter(met).length,
      wrong: found.filter((one) => !isTrue(one)).length,
      missed: missed.length,
      again,
      times: AGAIN,
      load: Math.round(loadavg()[1] ?? 0),
    };
    scores.push(score);
    if (values.write) keep(name, score);
  }
} finally {
  for (const child of busy) child.kill();
}
const sum = sumOf(scores);
process.stdout.write(
  `${sumText(sum)}; ${skipped} not run; load ${sum.load.join(' to ')} on ${availableParallelism()} processors\n`,
);
process.exitCode = sum.wrong + sum.missed === 0 && sum.again === sum.groups ? 0 : 1;
