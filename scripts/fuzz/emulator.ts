import { createHash } from 'node:crypto';
import { isRecord } from '../../emulator/contract/record.js';
import { type Child, checkChild, startChild } from './child.js';
import { Broken } from './law.js';

/** An emulator in a process of its own, and what it says of itself. */
export interface RunningEmulator {
  readonly child: Child;
  readonly port: number;
  /** A call of the control interface by a well-behaved client. */
  control(path: string, method?: string, body?: unknown): Promise<Response>;
}

/** The seed of each. */
export const SEED = 'fuzz';
const FLAGS = ['--port', '0', '--daemon-port', '0', '--seed', SEED, '--json', '--quiet', '--log-format', 'json'];

/** Starts an emulator as its command line does. */
export async function startEmulator(plant: string | undefined, ...flags: readonly string[]): Promise<RunningEmulator> {
  const { child, line } = await startChild('bin/intern-emulator.ts', [...FLAGS, ...flags], plant);
  const target: unknown = JSON.parse(line);
  if (!isRecord(target) || typeof target.base_url !== 'string') throw new Error(`an emulator began with ${line}`);
  const { origin, port } = new URL(target.base_url);
  return {
    child,
    port: Number(port),
    control: (path, method = 'GET', body) =>
      fetch(`${origin}${path}`, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      }),
  };
}

/** Checks that an emulator answers an ordinary call. @throws Broken */
export async function checkHealth({ child, control }: RunningEmulator, mostMegabytes: number): Promise<void> {
  const { status } = await control('/_emulator/health').catch(() => ({ status: 0 }));
  await checkChild(child, mostMegabytes, status === 0);
  if (status !== 200) throw new Broken('a probe is answered 200', `it was ${status}`);
}

/** The digest of some answers of the control interface. */
export async function digestOf({ control }: RunningEmulator, paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const path of paths) {
    const answer = await control(path);
    hash.update(`${answer.status}${await answer.text()}`);
  }
  return hash.digest('hex');
}
