import { given } from '../../emulator/contract/given.js';
import { FACTS } from '../model/target.js';
import type { Fetch } from '../probe/client.js';
import { CREDENTIAL_NAMES } from '../probe/request.js';
import type { Host } from '../probe/time.js';
import { type Connected, createLiveDriver, type Driver } from './driver.js';
import { createEmulatorDriver, startEmulator } from './emulator.js';
import { createVirtualHost } from './virtual-host.js';

interface RehearsalOptions {
  readonly seed: string;
  readonly readOnly: boolean;
  readonly host: Host;
}

/** For a deployment: an emulator without its control interface, in a time that passes as fast as it can be computed. */
async function startDeployment(
  real: Driver,
  { readOnly, seed }: RehearsalOptions,
): Promise<Connected & { readonly host: Host }> {
  const { startInProcess } = await import('./in-process.js');
  const { profile } = real.target;
  const { emulator } = startInProcess({ clock: 'virtual', seed, profile });
  const { clock } = emulator;
  const machine = createVirtualHost(clock, seed, clock.now());
  const over = new AbortController();
  const lives = machine.live(over.signal);
  const fetch: Fetch = async (request) => {
    machine.stir();
    const answer = await (request.url.startsWith(`${emulator.target.daemon_origin}/`)
      ? emulator.daemon.fetch(request)
      : emulator.fetch(request));
    if (!answer.headers.has('date')) answer.headers.set('date', new Date(clock.now()).toUTCString());
    return answer;
  };
  const { host } = machine;
  const descriptor = { ...emulator.target };
  const known = createEmulatorDriver({ descriptor, fetch, host, tag: '', remote: true, disposable: true, profile });
  const driver = createLiveDriver({
    baseUrl: known.target.baseUrl,
    fetch,
    host,
    profile,
    workspaceId: known.target.workspaceId,
    credentials: given(
      Object.fromEntries(
        CREDENTIAL_NAMES.map((name) => [
          name,
          real.credential(name) === undefined ? undefined : known.credential(name),
        ]),
      ),
    ),
    facts: given(
      Object.fromEntries(
        Object.values(FACTS).map((fact) => [fact, real.target[fact] === undefined ? undefined : known.target[fact]]),
      ),
    ),
    publicKeys: real.target.publicKeys.length === 0 ? [] : known.target.publicKeys,
    readOnly,
    slow: real.slow,
  });
  return {
    driver: { ...driver, lacks: (need) => real.lacks(need) ?? driver.lacks(need) },
    host,
    async close() {
      over.abort();
      await lives;
      await emulator.close();
    },
  };
}

/** Starts a target in this process that meets the needs that `real` meets. Nothing is sent to `real`. */
export async function startRehearsal(real: Driver, options: RehearsalOptions): ReturnType<typeof startDeployment> {
  if (real.control === undefined) return startDeployment(real, options);
  const { host } = options;
  const started = await startEmulator({ ...options, tag: host.tag(4), profile: real.target.profile });
  // The plan counts what passes `fetch`.
  const { plainFetch: _, ...driver } = started.driver;
  return { driver: { ...driver, lacks: (need) => real.lacks(need) ?? driver.lacks(need) }, host, close: started.close };
}
