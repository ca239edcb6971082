import { given } from '../../emulator/contract/given.js';
import { UsageError } from '../../emulator/contract/problem.js';
import type { Profile } from '../../emulator/contract/profile.js';
import { type Facts, type PublicKey, profileBy } from '../model/target.js';
import type { Fetch } from '../probe/client.js';
import type { CredentialName } from '../probe/request.js';
import type { Host } from '../probe/time.js';
import { kindOf } from '../probe/wait.js';
import { type Ask, createAsk } from './control.js';
import { type Connected, createLiveDriver, type Prompts } from './driver.js';
import {
  controlOf,
  createEmulatorDriver,
  type Descriptor,
  findEmulator,
  startEmulator,
  takeSpace,
} from './emulator.js';
import { environmentFetch, LOOPBACK } from './network.js';

const KEY_FROM = '--api-key, INTERN_API_KEY or api_key in a config file';

/** The base address out of what was typed: http(s), ending in /api/v1, without query or fragment. */
export function baseAddress(url: string): string {
  let address: URL;
  try {
    address = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `http://${url}`);
  } catch {
    throw new UsageError(`${url} is no URL`);
  }
  if (address.protocol !== 'http:' && address.protocol !== 'https:')
    throw new UsageError(`${url}: expected http:// or https://`);
  const path = address.pathname.replace(/\/+$/, '');
  return `${address.origin}${path === '' ? '/api/v1' : path}`;
}

/** The answer of the list of interns, as far as it is looked at before the run begins. */
interface Looked {
  /** Whether it is a list: what else it is, the run says (KIT-5). */
  readonly lists: boolean;
  /** Workspace of the first intern that the key sees: the interface names it nowhere else. */
  readonly workspaceId?: string;
}

async function look(ask: Ask, base: string, key: string): Promise<Looked> {
  try {
    const response = await ask({ url: `${base}/interns`, headers: new Headers({ authorization: `Bearer ${key}` }) });
    const { data } = JSON.parse(response.text) as { data?: { workspace_id?: unknown }[] };
    const id = data?.[0]?.workspace_id;
    return { lists: Array.isArray(data), ...(typeof id === 'string' ? { workspaceId: id } : {}) };
  } catch {
    return { lists: false };
  }
}

/** The options for a target. All may be left out; then it is an emulator in this process. */
export interface TargetOptions {
  /** Base address, ending in /api/v1. */
  readonly url?: string | undefined;
  readonly profile?: Profile | undefined;
  readonly credentials?: Partial<Record<CredentialName, string>>;
  /** Workspace that interns are created in. */
  readonly workspaceId?: string | undefined;
  readonly facts?: Facts;
  readonly prompts?: Prompts;
  readonly publicKeys?: readonly PublicKey[];
  /** False treats an emulator as a deployment. */
  readonly control?: boolean;
  readonly controlToken?: string | undefined;
  readonly readOnly?: boolean | undefined;
  /**
   * ms that one wait may take where no clock can be moved. Default 65,000; 310,000 with `thorough`, 0 with `quick`
   * and in `testConformance`.
   */
  readonly slow?: number;
  /** ms until the head of an answer must be there. */
  readonly timeout?: number | undefined;
  /** Seed of the emulator in this process. */
  readonly seed?: string | undefined;
  /** Instead of the machine's own: a target in this process, a proxy. */
  readonly fetch?: Fetch;
  /** Where the daemons are not on the same `fetch`. */
  readonly daemonFetch?: Fetch;
}

/** The purpose of a driver: `look` false sends nothing at all, for a plan. */
interface ConnectOptions {
  readonly settings: TargetOptions;
  readonly host: Host;
  readonly tag: string;
  readonly look: boolean;
  /** Where proxies are named; the variables of the process where nothing else is given. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** When the time of the run is over, that of the look too. */
  readonly until?: number | undefined;
  /** Ends the look. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The driver for a target: an emulator in this process where no URL is given, one that shows its control interface at
 * the URL, else a deployment.
 */
export async function connect(options: ConnectOptions): Promise<Connected> {
  const { settings, host, tag, look: looks, signal, until } = options;
  const readOnly = settings.readOnly === true;
  const fetch = settings.fetch ?? environmentFetch(options.env ?? process.env);
  const { profile, seed, credentials, controlToken, daemonFetch, facts, publicKeys, prompts, slow } = settings;
  if (settings.url === undefined) return startEmulator({ host, tag, readOnly, ...given({ profile, seed }) });
  const baseUrl = baseAddress(settings.url);
  const close = async () => {};
  // A plan sends nothing to a deployment; asking an own machine harms nobody.
  const asks = settings.control !== false && (looks || LOOPBACK.test(new URL(baseUrl).hostname));
  let descriptor: Descriptor | undefined;
  let unreachable: string | undefined;
  const { timeout = 10_000 } = settings;
  const ask = createAsk({ fetch, host, signal, until, timeout });
  if (asks)
    descriptor = await findEmulator(ask, baseUrl, controlToken).catch((error: unknown) => {
      unreachable = kindOf(error).detail;
      return undefined;
    });
  if (descriptor !== undefined) {
    const space =
      looks && !readOnly ? await takeSpace(ask, createAsk({ fetch, host, timeout }), baseUrl, controlToken) : undefined;
    const driver = createEmulatorDriver({
      // The address that was typed is the one that is known to lead there.
      descriptor: space?.descriptor ?? { ...descriptor, base_url: baseUrl, control_url: controlOf(baseUrl) },
      ...(space === undefined ? {} : { disposable: true, address: baseUrl }),
      fetch,
      host,
      tag,
      remote: settings.fetch === undefined,
      readOnly,
      ...given({ profile, credentials, controlToken, daemonFetch }),
    });
    return { driver, close: space?.end ?? close };
  }
  const key = credentials?.api_key;
  if (key === undefined) {
    throw new UsageError(
      unreachable === undefined
        ? `${baseUrl} shows no emulator, so it needs a credential: ${KEY_FROM}`
        : `${baseUrl} cannot be reached (${unreachable}); a deployment there needs a credential too: ${KEY_FROM}`,
    );
  }
  const seen: Looked = looks && settings.workspaceId === undefined ? await look(ask, baseUrl, key) : { lists: false };
  const workspaceId = settings.workspaceId ?? seen.workspaceId;
  // Interns are created in an explicit workspace: without its id nothing can be made.
  if (workspaceId === undefined && seen.lists && !readOnly) {
    throw new UsageError(
      'the workspace to create interns in is not known: --workspace-id, INTERN_WORKSPACE_ID, or --read-only',
    );
  }
  const driver = createLiveDriver({
    baseUrl,
    fetch,
    host,
    profile: profileBy(profile),
    workspaceId: workspaceId ?? '',
    credentials: credentials ?? {},
    readOnly,
    ...given({ facts, publicKeys, prompts, slow }),
  });
  return { driver, close };
}
