import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRecording } from '../../emulator/recording/read.js';
import { folderOfTest } from '../../test/folders.js';
import { fakeDriver, fakeHost } from '../../test/targets/fake-target.js';
import type { LiveDriverOptions } from '../drivers/driver.js';
import { findingText } from '../report/words/finding.js';
import { skipWords } from '../report/words/skip.js';
import type { Results } from '../run/results.js';
import { type DriftOptions, drift } from './drift.js';

export interface Line {
  request?: object;
  [key: string]: unknown;
}

export const JSON_TYPE = { 'content-type': 'application/json' };
const KEY = { authorization: 'Bearer $api_key' };

/** An exchange about an intern of the recording; its body is JSON. */
export const about = (operation: string, method: string, path: string, answer: Line = {}, body?: unknown): Line => ({
  operation,
  request: {
    method,
    path: `/api/v1/interns${path}`,
    headers: body === undefined ? KEY : { ...KEY, ...JSON_TYPE },
    ...(body === undefined ? {} : { body }),
  },
  status: 200,
  headers: JSON_TYPE,
  ...answer,
});

/** The answer of a deployment. */
export const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { ...JSON_TYPE, ...headers } });

/** The drift of a deployment that answers like this from a recording of these lines, on a virtual clock. */
export async function driftFrom(
  lines: readonly Line[],
  fetch: (request: Request) => Response | Promise<Response>,
  more: Partial<DriftOptions> = {},
  driverOptions: Partial<LiveDriverOptions> = {},
) {
  const folder = folderOfTest('drift-');
  const file = join(folder, 'recording.jsonl');
  const all = lines.map((line, index) => ({
    format: 1,
    n: index + 1,
    scenario: null,
    at: index,
    ended: 'complete',
    ...line,
  }));
  writeFileSync(file, all.map((one) => `${JSON.stringify(one)}\n`).join(''));
  const host = fakeHost();
  const sent: string[] = [];
  const driver = fakeDriver(
    async (request) => {
      sent.push(`${request.method} ${new URL(request.url).pathname.replace('/api/v1', '')}`);
      return fetch(request);
    },
    host,
    driverOptions,
  );
  const results: Results = await drift({
    driver,
    host,
    exchanges: readRecording(file, () => {}),
    tag: 'test',
    timeout: 10_000,
    bootTimeout: 120_000,
    signal: new AbortController().signal,
    command: 'drift',
    ...more,
  });
  return { results, sent, slept: host.slept };
}

/** The outcome of each exchange: `pass`, or the finding, or why it was left out. */
export const verdicts = ({ checks }: Results): string[] =>
  checks.map(({ verdict, finding, skip, error }) => {
    if (finding) {
      const { what, expected, actual } = findingText(finding);
      return `${verdict}: ${what}: ${String(expected)} → ${String(actual)}`;
    }
    if (skip) return `${verdict}: ${skipWords(skip).why}`;
    return error ? `${verdict}: ${error.message}` : verdict;
  });
