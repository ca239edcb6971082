// Processor time and memory that `judge FILE` takes for many exchanges. `LARGE=1000000` shows that memory is bounded.
import { spawn } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createJudge } from '../conformance/judge/judge.js';
import { report } from './lib.js';

const bins = fileURLToPath(new URL('../dist/bin/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'bench-judge-'));

/** Exchanges of one intern's life at a right service. */
function* life(number: number) {
  const id = `${number.toString(16).padStart(8, '0')}-0000-4000-8000-000000000001`;
  const workspace_id = '0a000000-0000-4000-8000-000000000001';
  const at = new Date(1_767_225_600_000 + number * 1_000).toISOString();
  const record = (status: string, more: object = {}) => ({
    id,
    name: `n-${number}`.slice(0, 17),
    description: null,
    instructions: null,
    model: null,
    status,
    last_failure_message: null,
    progress: null,
    hostname: status === 'running' ? `n-${number}.interns.localhost` : null,
    workspace_id,
    vault_id: id.replace(/1$/, '2'),
    attached_vault_id: null,
    created_at: at,
    updated_at: at,
    ...more,
  });
  const body = { name: `n-${number}`.slice(0, 17), workspace_id, provision: true };
  yield { method: 'POST', path: '/interns', body, key: `k-${number}`, status: 201, answer: record('queued') };
  yield { method: 'GET', path: `/interns/${id}`, status: 200, answer: record('provisioning') };
  for (let reads = 0; reads < 3; reads++)
    yield { method: 'GET', path: `/interns/${id}`, status: 200, answer: record('running') };
  const list = { data: [record('running')], has_more: false };
  yield { method: 'GET', path: '/interns', status: 200, answer: list };
  const description = 'changed';
  const changed = record('running', { description });
  yield { method: 'PATCH', path: `/interns/${id}`, body: { description }, status: 200, answer: changed };
  yield { method: 'GET', path: `/interns/${id}`, status: 200, answer: changed };
  yield { method: 'DELETE', path: `/interns/${id}`, status: 202, answer: { ...changed, status: 'destroying' } };
  const gone = {
    error: { code: 404, message: 'Intern not found', metadata: { reason: 'intern_not_found', retryable: false } },
  };
  yield { method: 'GET', path: `/interns/${id}`, status: 404, answer: gone };
}

const entryOf = (one: ReturnType<typeof life> extends Generator<infer T> ? T : never, at: number) => ({
  startedDateTime: new Date(1_767_225_600_000 + at * 20).toISOString(),
  time: 5,
  request: {
    method: one.method,
    url: `https://staging.test/api/v1${one.path}`,
    headers: [
      { name: 'Authorization', value: 'Bearer sk-one-000000000' },
      ...('key' in one ? [{ name: 'Idempotency-Key', value: one.key }] : []),
    ],
    ...('body' in one ? { postData: { mimeType: 'application/json', text: JSON.stringify(one.body) } } : {}),
  },
  response: {
    status: one.status,
    headers: [{ name: 'Content-Type', value: 'application/json' }],
    content: { text: JSON.stringify(one.answer) },
  },
});

/** A HAR of so many exchanges. */
async function harOf(file: string, exchanges: number): Promise<void> {
  const out = createWriteStream(file);
  out.write('{"log":{"version":"1.2","entries":[\n');
  let at = 0;
  for (let number = 1; at < exchanges; number++)
    for (const one of life(number)) {
      if (at >= exchanges) break;
      const text = `${at === 0 ? '' : ',\n'}${JSON.stringify(entryOf(one, at++))}`;
      if (!out.write(text)) await new Promise((resolve) => out.once('drain', resolve));
    }
  await new Promise<void>((resolve) => out.end(']}}\n', () => resolve()));
}

/** Runs `judge` over files. `peak`: the most memory that it held, in MB. */
function judged(
  args: readonly string[],
): Promise<{ seconds: number; peak: number; said: string; status: number | null }> {
  const child = spawn('/usr/bin/time', [
    '-f',
    'peak %M cpu %U',
    process.execPath,
    join(bins, 'intern-conformance.js'),
    'judge',
    ...args,
  ]);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  return new Promise((resolve) =>
    child.once('exit', (status) =>
      resolve({
        seconds: Number(/cpu ([\d.]+)/.exec(said)?.[1]),
        peak: Number(/peak (\d+)/.exec(said)?.[1]) / 1_024,
        said,
        status,
      }),
    ),
  );
}

const LARGE = Number(process.env.LARGE ?? 100_000);
const file = join(folder, 'large.har');
await harOf(file, LARGE);
const { seconds, peak, said, status } = await judged([file]);
if (status !== 0) throw new Error(`the right traffic was blamed: ${said}`);
report(
  `processor time for a HAR of ${LARGE.toLocaleString('en')} exchanges`,
  `${seconds.toFixed(1)} s`,
  '≤ 20 s',
  seconds <= 20,
);
report('memory for it', `${peak.toFixed(0)} MB`, '≤ 300 MB', peak <= 300);

/** The memory of a judge after so many exchanges, one after the other, as in a proxy that runs for days: MB at each tenth. */
function kept(exchanges: number): readonly number[] {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const judge = createJudge({ whole: true });
  const sizes: number[] = [];
  let at = 0;
  for (let number = 1; at < exchanges; number++)
    for (const one of life(number)) {
      judge.reads(entryOf(one, at++));
      if (at % (exchanges / 10) !== 0) continue;
      collect();
      sizes.push(process.memoryUsage().heapUsed / 1_048_576);
    }
  if (judge.report().exit !== 0) throw new Error('the right traffic was blamed');
  return sizes;
}

// Fewer do not fill what is remembered: 10,000 interns.
if (LARGE >= 400_000) {
  const sizes = kept(LARGE);
  const [half = 0, all = 0] = [sizes[4], sizes[9]];
  report(
    `memory that ${LARGE.toLocaleString('en')} exchanges live take more than the first half of them`,
    `${(all - half).toFixed(1)} MB of ${all.toFixed(0)}`,
    '≤ 5 MB',
    all - half <= 5,
  );
}
rmSync(folder, { recursive: true });
