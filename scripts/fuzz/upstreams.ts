import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { readRecording } from '../../emulator/recording/read.js';
import { ask } from './ask.js';
import { askChild } from './ask-child.js';
import { type Child, checkChild, checkLively, startChild } from './child.js';
import type { Subject, Target } from './fuzz.js';
import { Broken, notOneLine } from './law.js';
import { type OddAnswer, oddAnswer } from './odd-answer.js';
import { HONEST, type OddServer, startOddServer } from './odd-server.js';
import { alike, type Call } from './rows.js';

/**
 * The limit of a recorder that keeps 1 MB of an exchange, and of the kit, which takes no more of a body than it says.
 */
const MOST_MB = 700;
/** How long a client waits for an odd answer, of which some never end. */
const PATIENCE_MS = 300;
/** How long it waits for an honest one, which comes at once unless the machine is busy with others. */
const HONEST_PATIENCE_MS = 10_000;
/** Connections that may be kept from earlier answers. */
const KEPT = 4;
/** A line is written when the exchange has ended: the recorder waits a while for the rest of a request. */
const WRITTEN_MS = 5_000;

/** The outcome of asking a server as the kit does: a status, or why there is none. */
export type Probed = { readonly status: number } | { readonly why: string };

interface Asked extends Call {
  readonly answer: OddAnswer;
}

/** The lines of the recorder since the last look, once they hold the exchange with this path. */
async function written(file: string, from: number, path: string): Promise<string[]> {
  const end = performance.now() + WRITTEN_MS;
  for (;;) {
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1).slice(from) : [];
    if (lines.some((line) => line.includes(path))) return lines;
    if (performance.now() > end) throw new Broken('what was answered is recorded', `${path} is not`);
    await delay(10);
  }
}

interface Parts {
  readonly server: OddServer;
  readonly recorder: Child;
  /** The recorder's port. */
  readonly port: number;
  readonly prober: Child;
  readonly folder: string;
}

function subjectOf({ server, recorder, port, prober, folder }: Parts): Subject<Asked> {
  const file = join(folder, 'recording.jsonl');
  const fresh = join(folder, 'fresh.jsonl');
  let seen = 0;
  let honestly = 0;
  /** Another address each time, so that its line can be found. */
  // A longer segment with digits would be an alias.
  const honestPath = () => `/api/v1/${honestly}-/${HONEST}`;
  const through = async (call: Call, patienceMs = PATIENCE_MS) => {
    const headers = { ...call.headers, authorization: 'Bearer a-key-of-the-fuzzer' };
    const answer = await ask(port, { ...call, headers }, patienceMs);
    await checkChild(recorder, MOST_MB);
    return answer?.status ?? 0;
  };
  const checkLines = async () => {
    const lines = await written(file, seen, honestPath());
    seen += lines.length;
    writeFileSync(fresh, lines.map((line) => `${line}\n`).join(''));
    try {
      readRecording(fresh, () => {});
    } catch (error) {
      throw new Broken('what is recorded can be read', error instanceof Error ? error.message : String(error));
    }
    if (lines.some((line) => line.includes('a-key-of-the-fuzzer')))
      throw new Broken('no credential is recorded', 'the key stands there');
  };
  return {
    async meet({ answer, ...asked }) {
      server.answer = answer;
      const status = await through(asked);
      if (status === 500 && !/ 500 /.test(answer.head))
        throw new Broken('what cannot be passed on is a 502', 'it was a 500');
      await checkLively(
        recorder,
        async () => void (await through(asked)),
        async () => {
          let honest = 0;
          // Bytes that a server sent beyond an answer spoil the connections that it kept, and no others.
          for (let tries = 0; tries < KEPT && honest !== 200; tries++) {
            honestly++;
            honest = await through({ method: 'GET', path: honestPath(), body: undefined }, HONEST_PATIENCE_MS);
          }
          await checkChild(recorder, MOST_MB, honest === 0);
          if (honest !== 200) throw new Broken('an honest answer passes', `it was ${honest}`);
        },
      );
      await checkLines();
      const probe = () => askChild<Probed>(prober, new URL(asked.path, server.url).href, MOST_MB);
      const probed = await probe();
      const wrong = 'why' in probed ? notOneLine(probed.why, 500) : undefined;
      if (wrong !== undefined) throw new Broken('why there is no answer is one line', wrong);
      await checkLively(
        prober,
        async () => void (await probe()),
        async () => {
          const honest = await askChild<Probed>(prober, `${server.url}/${HONEST}`, MOST_MB);
          if (!('status' in honest)) throw new Broken('an honest answer is read', honest.why);
        },
      );
    },
    async close() {
      await Promise.all([recorder.stop(), prober.stop()]);
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function start(plant: string | undefined): Promise<Subject<Asked>> {
  const server = await startOddServer();
  const folder = mkdtempSync(join(tmpdir(), 'fuzz-upstreams-'));
  const out = join(folder, 'recording.jsonl');
  const flags = ['record', server.url, '--out', out, '--port', '0', '--limit', '1mb', '--log-format', 'json'];
  const [{ child: recorder, line }, { child: prober }] = await Promise.all([
    startChild('bin/intern-emulator.ts', flags, plant),
    startChild('scripts/fuzz/prober.ts', [], plant),
  ]);
  const port = Number(new URL(line.split(' ').at(-1) ?? '').port);
  return subjectOf({ server, recorder, port, prober, folder });
}

/** Calls that no row is. */
const ODD: readonly Call[] = [
  { method: 'GET', path: '/api/v1/odd?code=x&accessToken=y', body: undefined },
  { method: 'HEAD', path: '/api/v1/interns', body: undefined },
  { method: 'POST', path: '/api/v1/interns', body: '['.repeat(4_000) + ']'.repeat(4_000) },
];

/** Odd servers behind the recorder, and behind what the kit asks with. */
export async function upstreams(plant?: string): Promise<Target<Asked>> {
  const { rows } = await alike();
  // The answers are odd here: large requests would only take time.
  const short = rows.filter(({ body = '' }) => body.length < 10_000);
  const call = fc.oneof({ weight: 3, arbitrary: short }, fc.constantFrom(...ODD));
  return {
    inputs: fc.tuple(oddAnswer, call).map(([answer, asked]) => ({ ...asked, answer })),
    start: () => start(plant),
  };
}
