// The console in Chromium: from the address to its first paint, whether it keeps up with 200 requests a second, what its
// heap is after 100,000 events, and how large it is. Needs a build (npm run build) and Chromium.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { CDPSession, Page } from 'playwright-core';
import { launchChromium } from '../test/chromium.js';
import { findTool, TOOLS } from '../test/tools.js';
import { median, report, start } from './lib.js';

const EVENTS = 100_000;
const RATE = 200;
const SECONDS = 15;
const PAINTS = 9;

if (findTool('chromium') === undefined) {
  console.log(`skipped: no Chromium: ${TOOLS.chromium.get}`);
  process.exit(2);
}

const built = fileURLToPath(new URL('../dist/console/', import.meta.url));
const bytes = readdirSync(built).reduce((sum, name) => sum + gzipSync(readFileSync(built + name)).length, 0);
report('the page, compressed', `${(bytes / 1024).toFixed(1)} KB`, '< 80 KB', bytes < 80 * 1024);

const served = await start('emulator.mjs');
const base = String(served.hello.base_url);
const control = base.replace(/\/api\/v1$/, '/_emulator');
const { credentials } = served.hello as unknown as { credentials: { api_key: string; intern: { id: string } } };
const headers = { authorization: `Bearer ${credentials.api_key}`, 'content-type': 'application/json' };
await fetch(`${control}/limits`, { method: 'PUT', body: '{"turns_per_minute": 0}' });
const browser = await launchChromium();

async function paint(): Promise<number> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${control}/`);
  await page.getByRole('heading', { name: 'Interns' }).first().waitFor();
  const [found] = (await page.evaluate(
    `new Promise((resolve) => new PerformanceObserver((list) => resolve(list.getEntriesByName('first-contentful-paint')
      .map((entry) => entry.startTime))).observe({ type: 'paint', buffered: true }))`,
  )) as number[];
  await context.close();
  return found ?? Number.NaN;
}
await paint();
const paints: number[] = [];
for (let round = 0; round < PAINTS; round++) paints.push(await paint());
report('first paint, median', `${median(paints).toFixed(0)} ms`, '< 300 ms', median(paints) < 300);

const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
const page: Page = await context.newPage();
await page.goto(`${control}/#/requests`);
await page.getByRole('heading', { name: 'Requests' }).first().waitFor();
const session: CDPSession = await context.newCDPSession(page);
await session.send('Performance.enable');
const busy = async () => {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
};

/** Requests at a steady rate, and how long after the last of them the page shows it, in ms. */
async function atRate(): Promise<{ lag: number; share: number }> {
  const before = await busy();
  const begun = performance.now();
  const pending: Promise<unknown>[] = [];
  for (let sent = 0; sent < RATE * SECONDS; ) {
    const due = Math.min(RATE * SECONDS, Math.floor(((performance.now() - begun) / 1_000) * RATE));
    for (; sent < due; sent++) {
      const of = sent + 1 === RATE * SECONDS ? 'the-last-one' : `number-${sent}`;
      pending.push(fetch(`${base}/interns/${of}`, { headers }).then((response) => response.arrayBuffer()));
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const sent = performance.now();
  await page.getByText('/interns/the-last-one').waitFor();
  const lag = performance.now() - sent;
  await Promise.all(pending);
  const took = (performance.now() - begun) / 1_000;
  return { lag, share: ((await busy()) - before) / took };
}
const { lag, share } = await atRate();
report(`${RATE} requests/s, the last is shown after`, `${lag.toFixed(0)} ms`, '< 500 ms', lag < 500);
report(`${RATE} requests/s, busy`, `${(share * 100).toFixed(0)} % of a core`, '< 60 %', share < 0.6);

/** Of what the page still holds, in bytes. */
async function heap(): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  await session.send('HeapProfiler.collectGarbage');
  return (await session.send('Runtime.getHeapUsage')).usedSize;
}

/** Counts events beside the page, to know how many it received. */
let received = 0;
const counting = new AbortController();
void (async () => {
  const response = await fetch(`${control}/events`, { signal: counting.signal });
  const decoder = new TextDecoder();
  for await (const part of response.body ?? [])
    received += decoder.decode(part, { stream: true }).split('\nevent: ').length;
})().catch(() => {});

await page.goto(`${control}/#/interns/${credentials.intern.id}`);
const chat = async () => {
  const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'script: long' }] });
  const path = `${base}/interns/${credentials.intern.id}/chat/completions`;
  await (await fetch(path, { method: 'POST', headers, body })).text();
};
async function until(count: number): Promise<void> {
  while (received < count) {
    await chat();
    await Promise.all(
      Array.from({ length: 20 }, () => fetch(`${base}/interns`, { headers }).then((r) => r.arrayBuffer())),
    );
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  await page.waitForTimeout(1_500);
}
await until(EVENTS / 5);
const early = await heap();
await until(EVENTS);
const late = await heap();
counting.abort();
const grown = late - early;
console.log(
  `        ${received} events; heap ${(early / 1e6).toFixed(1)} MB after a fifth of them, ${(late / 1e6).toFixed(1)} MB after all`,
);
report('heap grown meanwhile', `${(grown / 1e6).toFixed(1)} MB`, '< 5 MB', grown < 5e6);
await browser.close();
await served.stop();
