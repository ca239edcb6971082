// What it takes to explore a test of ten requests, in process: 1,000 schedules, pairs among them. The test waits 400 ms for
// an answer that does not come, and keeps Retry-After, so most of the time passes in waiting.

import { explore } from '../conformance/explore/index.js';
import { clientOf, wholly } from '../conformance/explore/testing.harness.js';
import type { Program } from '../conformance/explore/types.js';
import { report } from './lib.js';

const SCHEDULES = 1_000;

const tenRequests: Program = async (context) => {
  const client = clientOf(context);
  const patient = async (request: () => Promise<Response>): Promise<Response> => {
    const response = await request();
    const after = Number(response.headers.get('retry-after') ?? 0);
    if (response.ok || after === 0) return response;
    await new Promise((resolve) => setTimeout(resolve, 1_000 * after));
    return request();
  };
  const read = async (method: string, path: string, body?: unknown) => {
    const response = await patient(() => client.send(method, path, body));
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
    await response.text();
  };
  const own = `/interns/${client.id}`;
  await read('GET', '/interns?limit=5');
  await read('GET', own);
  await wholly(await patient(() => client.chat('hello')));
  const asked = await wholly(await patient(() => client.chat('script: ask-permission')));
  await wholly(await patient(() => client.answer(asked, 'allow_once')));
  await wholly(await patient(() => client.chat('and once more')));
  await read('POST', `${own}/invoke`, { input: 'work on' });
  await read('PATCH', own, { description: 'explored' });
  await read('GET', own);
  await read('GET', '/interns');
};

const before = process.cpuUsage();
const result = await explore(tenRequests, { pairs: true, maxRuns: SCHEDULES });
const { user, system } = process.cpuUsage(before);
const { counts, timing, straight } = result;
if (counts.run !== SCHEDULES || counts.breach > 0 || straight.requests !== 10) throw new Error(result.text);
const seconds = timing.ms / 1_000;
report(`${SCHEDULES} schedules of ${straight.requests} requests`, `${seconds.toFixed(1)} s`, '≤ 60 s', seconds <= 60);
console.log(`  processor time of each: ${((user + system) / 1_000 / SCHEDULES).toFixed(1)} ms`);
