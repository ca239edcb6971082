import { isRecord } from '../../emulator/contract/record.js';
import { type Child, checkChild, startChild } from './child.js';
import { Broken } from './law.js';

/** An emulator in a process of its own, and what it says of itself. */
export interface RunningEmulator {
  readonly child: Child;
  readonly origin: string;
  readonly port: number;
  readonly key: string;
  readonly workspaceId: string;
  readonly internId: string;
  /** A call of the control interface by a well-behaved client. */
  control(path: string, method?: string, body?: unknown): Promise<Response>;
}

const FLAGS = ['--port', '0', '--daemon-port', '0', '--seed', 'fuzz', '--json', '--quiet', '--log-format', 'json'];

/** Starts an emulator as its command line does. */
export async function startEmulator(plant: string | undefined, ...flags: readonly string[]): Promise<RunningEmulator> {
  const { child, line } = await startChild('bin/intern-emulator.ts', [...FLAGS, ...flags], plant);
  const target: unknown = JSON.parse(line);
  if (!isRecord(target) || typeof target.base_url !== 'string' || !isRecord(target.credentials))
    throw new Error(`an emulator began with ${line}`);
  const { api_key, intern } = target.credentials;
  const { origin, port } = new URL(target.base_url);
  return {
    child,
    origin,
    port: Number(port),
    key: String(api_key),
    workspaceId: String(target.workspace_id),
    internId: isRecord(intern) ? String(intern.id) : '',
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
