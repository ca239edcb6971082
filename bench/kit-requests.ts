// What each check costs at a deployment: requests, prompts, interns made and time. In process and in virtual time, one
// check after the other, against an emulator without its control interface whose interns do what they are asked.
// `--plan` says what a run will cost by these numbers: `write` puts them where it finds them.
//
//   npx tsx bench/kit-requests.ts [write]
import { writeFileSync } from 'node:fs';
import { checks } from '../conformance/checks/index.js';
import { runChecks } from '../conformance/engine/runner.js';
import { deploy } from '../conformance/engine/testing/deployment.js';

const NOTE = `// Written by bench/kit-requests.ts: what each check costs at a deployment, as measured.

/** Requests, prompts, interns made, and ms of each check. */
export const COSTS: Readonly<Record<string, readonly [requests: number, prompts: number, interns: number, ms: number]>> =`;

for (const which of ['all', 'key'] as const) {
  const { driver, host, close } = await deploy(
    {
      name: 'obeys every prompt',
      obeys: 1,
      ...(which === 'key'
        ? { only: ['api_key'] }
        : { profile: 'openrouter', slow: process.argv[2] === 'write' ? 35_000 : 0 }),
    },
    'costs',
  );
  let [prompts, interns] = [0, 0];
  const fetch: typeof driver.fetch = async (request) => {
    const answer = await driver.fetch(request);
    const { pathname } = new URL(request.url);
    if (request.method === 'POST' && /\/(chat\/completions|invoke)$/.test(pathname) && answer.ok) prompts++;
    if (request.method === 'POST' && /\/interns$/.test(pathname) && answer.status === 201) interns++;
    return answer;
  };
  const costs: [string, number[]][] = [];
  let before = [0, 0];
  const results = await runChecks({
    driver: { ...driver, fetch },
    host,
    checks,
    seed: 'costs',
    rate: 0,
    concurrency: 1,
    blocking: false,
    events: {
      checkEnd({ id, requests, duration }) {
        const [p = 0, i = 0] = before;
        if (requests > 0) costs.push([id, [requests, prompts - p, interns - i, duration]]);
        before = [prompts, interns];
      },
    },
  });
  await close();
  if (which === 'all' && process.argv[2] === 'write') {
    costs.sort(([one], [other]) => (one < other ? -1 : 1));
    const lines = costs.map(([id, row]) => `  '${id}': [${row.join(', ')}],`);
    const file = new URL('../conformance/cli/costs.ts', import.meta.url);
    writeFileSync(file, `${NOTE} {\n${lines.join('\n')}\n};\n`);
  }
  for (const [id, row] of [...costs].sort(([, [one = 0]], [, [other = 0]]) => other - one))
    console.log(row.join('\t'), id);
  console.log(
    `${which}: ${results.requests} requests, ${prompts} prompts, ${results.cleanup.created} interns, ${JSON.stringify(results.counts)}`,
  );
}
