import { given } from '../../emulator/contract/given.js';
import { type Profile, shippedProfile } from '../../emulator/contract/profile.js';
import type { Emulator, EmulatorOptions } from '../../emulator/index.js';
import askPermissionTwice from '../../fixtures/scripts/ask-permission-twice.json' with { type: 'json' };
import askThenSilent from '../../fixtures/scripts/ask-then-silent.json' with { type: 'json' };
import saysNothing from '../../fixtures/scripts/says-nothing.json' with { type: 'json' };
import { type BehaviourName, behaviourIn, FACTS, type PublicKey, readProfile, type Target } from '../model/target.js';
import type { Fetch } from '../probe/client.js';
import { jsonOf, recordOf } from '../probe/json.js';
import { canBeClosed, type HeldCredential, type PlainFetch } from '../probe/request.js';
import type { Host } from '../probe/time.js';
import { type Ask, controlHeaders, createControl } from './control.js';
import { type Connected, type Driver, lacks, type Means } from './driver.js';

/** The target descriptor of an emulator, as its control interface gives it. */
export type Descriptor = Readonly<Record<string, unknown>>;

interface EmulatorDriverOptions {
  readonly descriptor: Descriptor;
  readonly fetch: Fetch;
  readonly plainFetch?: PlainFetch;
  /** If the daemon is not on the same `fetch`. */
  readonly daemonFetch?: Fetch;
  readonly host: Host;
  /** Distinguishes what this run puts into the emulator from what others do. */
  readonly tag: string;
  /** Whether there is a network between kit and emulator. */
  readonly remote: boolean;
  readonly profile?: Profile;
  readonly controlToken?: string;
  readonly readOnly?: boolean;
  /** The address that the user gave, if the descriptor has another. */
  readonly address?: string;
  /** Whether the emulator exists for this run alone, and may be reset. */
  readonly disposable?: boolean;
  /** Credentials that replace those of the descriptor. */
  readonly credentials?: Partial<Record<HeldCredential, string>>;
}

/** Scripts that checks need, and that an emulator by others need not ship. */
const OURS = [askPermissionTwice, askThenSilent, saysNothing].map(({ $schema: _, ...script }) => script);

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const trimmed = (url: string) => url.replace(/\/+$/, '');

function profileOf(value: unknown): Profile {
  if (typeof value === 'string') {
    const shipped = shippedProfile(value);
    if (shipped === undefined)
      throw new Error(`the emulator has a profile ${value} of its own: give it with --profile`);
    return shipped;
  }
  return readProfile(value, 'profile of /_emulator/target');
}

/** Drives an emulator only through its target descriptor and control interface. Throws if they lack a part. */
export function createEmulatorDriver(options: EmulatorDriverOptions): Driver {
  const { descriptor, fetch, host } = options;
  const baseUrl = text(descriptor.base_url);
  const workspaceId = text(descriptor.workspace_id);
  if (baseUrl === undefined || workspaceId === undefined) {
    throw new Error('/_emulator/target: expected base_url and workspace_id');
  }
  const credentials = recordOf(descriptor.credentials);
  const own = recordOf(credentials.intern);
  const controlUrl = trimmed(text(descriptor.control_url) ?? `${new URL(baseUrl).origin}/_emulator`);
  const daemonOrigin = text(descriptor.daemon_origin);
  const target: Target = {
    kind: 'emulator',
    baseUrl: trimmed(baseUrl),
    profile: options.profile ?? profileOf(descriptor.profile),
    workspaceId,
    publicKeys: (Array.isArray(descriptor.public_keys) ? descriptor.public_keys : []) as PublicKey[],
    ...given(Object.fromEntries(Object.entries(FACTS).map(([name, key]) => [key, text(descriptor[name])]))),
    ...given({
      address: options.address,
      // Nobody else has a directory there.
      scimSync: options.disposable === true ? 'yes' : undefined,
      ownInternId: text(own.id),
      daemonOrigin: daemonOrigin && trimmed(daemonOrigin),
    }),
    // A prefix makes no valid host of an address: `eu.127.0.0.1`.
    regionalHost: `eu.localhost:${new URL(baseUrl).port || '80'}`,
  };
  const control = createControl({
    fetch,
    plainFetch: options.plainFetch,
    host,
    url: controlUrl,
    tag: options.tag,
    ...given({ token: options.controlToken }),
  });
  /** The name of a script at the emulator, where it is not its own. */
  const scripts = new Map<string, string | undefined>();
  const refused = (name: string | undefined) =>
    name !== undefined && scripts.has(name) && scripts.get(name) === undefined;
  const means: Means = {
    target,
    disposable: options.disposable === true && options.readOnly !== true,
    readOnly: options.readOnly === true,
    slow: 0,
    credential: (name) => options.credentials?.[name] ?? text(name === 'own_key' ? own.api_key : credentials[name]),
    behaviour: () => true,
  };
  return {
    target,
    fetch,
    ...given({ plainFetch: options.plainFetch }),
    remote: options.remote,
    daemonFetch: options.daemonFetch ?? fetch,
    control,
    slow: 0,
    credential: means.credential,
    lacks: (need) => (refused(behaviourIn(need)) ? { kind: 'lacks', need, how: 'script' } : lacks(need, means)),
    prompt: (behaviour: BehaviourName, said = 'Go on.') =>
      behaviour === 'echo' ? said : `script: ${scripts.get(behaviour) ?? behaviour}\n${said}`,
    settle: () => (options.remote ? host.sleep(25) : host.turn()),
    async begin() {
      await control.stopClock();
      await control.limit(0);
      for (const script of OURS) scripts.set(script.name, await control.keep(script));
    },
    restore: () => control.restore(),
    async end() {
      await control.restore();
      await control.end();
    },
  };
}

/** The control interface beside a base address, that of a space too. */
export const controlOf = (baseUrl: string): string => `${baseUrl.replace(/\/api\/v1$/, '')}/_emulator`;

/** Asks an address whether it is an emulator. Undefined if it is not one; throws if it cannot be reached. */
export async function findEmulator(ask: Ask, baseUrl: string, token?: string): Promise<Descriptor | undefined> {
  const { status, text: body } = await ask({ url: `${controlOf(baseUrl)}/target`, headers: controlHeaders(token) });
  const descriptor = status === 200 ? recordOf(jsonOf(body)) : {};
  return typeof descriptor.base_url === 'string' && 'credentials' in descriptor ? descriptor : undefined;
}

/**
 * Takes a space of an emulator for the run, so that neither the interns nor the time of other users change. Undefined if it
 * has no spaces. It is given back by `release`, which the end of the run does not end.
 */
export async function takeSpace(ask: Ask, release: Ask, baseUrl: string, token?: string) {
  const url = `${controlOf(baseUrl)}/spaces`;
  const body = '{"clock":"virtual"}';
  try {
    const made = await ask({ url, headers: controlHeaders(token, body), method: 'POST', body });
    const space = recordOf(jsonOf(made.text));
    if (made.status !== 201 || typeof space.name !== 'string') return undefined;
    const { name } = space;
    // The descriptor is the answer itself, or is in it. The typed address is the one that is known to lead there.
    const target = recordOf(space.target ?? space);
    const here = (address: unknown) => `${new URL(url).origin}${new URL(String(address)).pathname}`;
    const descriptor: Descriptor = {
      ...target,
      base_url: here(target.base_url),
      control_url: here(target.control_url),
    };
    const end = async () => {
      const address = `${url}/${encodeURIComponent(name)}`;
      await release({ url: address, headers: controlHeaders(token), method: 'DELETE' }).catch(() => {});
    };
    return { descriptor, end };
  } catch {
    return undefined;
  }
}

/** An emulator of this package. Loaded on demand: a run against a URL needs none. */
export async function newEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { createEmulator } = await import('../../emulator/index.js');
  return createEmulator(options);
}

/** An emulator in this process, on a virtual clock, and the driver for it. No sockets. */
export async function startEmulator(
  options: Pick<EmulatorDriverOptions, 'host' | 'tag' | 'readOnly' | 'profile'> & { readonly seed?: string },
): Promise<Connected> {
  const { startInProcess } = await import('./in-process.js');
  const { emulator, plainFetch } = startInProcess({
    clock: 'virtual',
    ...given({ seed: options.seed, profile: options.profile }),
  });
  const driver = createEmulatorDriver({
    ...options,
    disposable: true,
    descriptor: { ...emulator.target },
    fetch: (request) => emulator.fetch(request, canBeClosed(request.url) ? undefined : { signal: null }),
    plainFetch,
    daemonFetch: (request) => emulator.daemon.fetch(request),
    remote: false,
  });
  return { driver, close: () => emulator.close() };
}
