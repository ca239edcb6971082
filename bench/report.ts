// How long a report of 500 findings takes to open in a browser: until the filters are applied and the page is painted, and
// until the first thing that is wrong is open. `npx tsx bench/report.ts`
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { REPORTERS } from '../conformance/report/index.js';
import type { CheckResult } from '../conformance/run/results.js';
import { launchChromium } from '../test/chromium.js';
import { sampleResults } from '../test/targets/sample-results.js';
import { report } from './lib.js';

const FINDINGS = 500;
const EXCHANGES = 6;
const OPENINGS = 5;

const sample = sampleResults();
const failing = sample.checks.find(({ id }) => id === 'chat/fails');
const [exchange] = failing?.finding?.transcript ?? [];
if (failing?.finding === undefined || exchange === undefined) throw new Error('the sample has no finding');
const { finding } = failing;
const checks = Array.from(
  { length: FINDINGS },
  (_, at): CheckResult => ({
    ...failing,
    id: `area-${at % 20}/check-${at}`,
    finding: {
      ...finding,
      of: `the field number ${at % 60}`,
      transcript: Array.from({ length: EXCHANGES }, (__, number) => ({ ...exchange, number: number + 1 })),
      exchange: EXCHANGES,
    },
  }),
);
const folder = mkdtempSync(join(tmpdir(), 'bench-report-'));
const file = join(folder, 'report.html');
const began = performance.now();
writeFileSync(file, REPORTERS.html({ ...sample, checks }));
const written = performance.now() - began;
const browser = await launchChromium();
const median = (times: readonly number[]) =>
  Math.round([...times].sort((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0);
const session = await browser.newBrowserCDPSession();
/** Processor time of every page's process, in ms: what a machine that is busy with something else does not change. */
const used = async (): Promise<number> => {
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  return processInfo.filter(({ type }) => type === 'renderer').reduce((sum, { cpuTime }) => sum + cpuTime * 1_000, 0);
};
const spent: number[] = [];
const opened: number[] = [];
const shown: number[] = [];
try {
  for (let at = 0; at < OPENINGS; at++) {
    const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
    const before = await used();
    const from = performance.now();
    await page.goto(pathToFileURL(file).href);
    await page.waitForFunction(`document.querySelector('.shown').textContent === '${FINDINGS} of ${FINDINGS}'`);
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    opened.push(performance.now() - from);
    spent.push((await used()) - before);
    const clicked = performance.now();
    await page.locator('.group > summary').first().click();
    await page.locator('.result[open] .body').first().waitFor();
    shown.push(performance.now() - clicked);
    await page.close();
  }
} finally {
  await browser.close();
}
const size = Math.round(statSync(file).size / 1024);
rmSync(folder, { recursive: true });
report(
  `a report of ${FINDINGS} findings opens in a browser`,
  `${median(opened)} ms, ${median(spent)} ms of processor time`,
  '< 1 s',
  median(opened) < 1_000,
  `${size} KB, written in ${Math.round(written)} ms; first group ${median(shown)} ms`,
);
