import type { Profile } from '../../emulator/contract/profile.js';
import type { BehaviourName } from '../framework/needs.js';
import type { Facts, PublicKey, Target } from '../framework/target.js';
import type { Fetch } from '../probe/client.js';
import type { CredentialName } from '../probe/request.js';
import type { Host } from '../probe/time.js';
import type { Driver } from './driver.js';
import { lacks, type Means } from './needs.js';

/** Prompts by the behaviour they cause. `{text}` is replaced by what a check wants said. */
export type Prompts = Partial<Record<BehaviourName, string>>;

/**
 * The default prompts that make an intern ask and stay silent. The first line names a script: an emulator without its
 * control interface follows it; to a real intern it is a line of text.
 */
export const DEFAULT_PROMPTS: Prompts = {
  echo: '{text}',
  'ask-permission':
    'script: ask-permission\nUse your shell tool to run `echo ready`, asking for my permission first, and then say that you are done. {text}',
  'ask-question':
    'script: ask-question\nAsk me, through your tool for questions to the user, which colour I like best, and then repeat my answer. {text}',
  silent:
    'script: silent\nFirst say the one word "waiting". Then run `sleep 300` in your shell without any output, and then say "done". {text}',
};

export interface LiveDriverOptions {
  readonly baseUrl: string;
  readonly fetch: Fetch;
  readonly host: Host;
  readonly profile: Profile;
  readonly workspaceId: string;
  readonly credentials: Partial<Record<CredentialName, string>>;
  readonly facts?: Facts;
  readonly publicKeys?: readonly PublicKey[];
  readonly prompts?: Prompts;
  /** ms of real time that one wait may take. */
  readonly slow?: number;
  readonly readOnly?: boolean;
}

/** Drives a deployment with only the interface itself: prompts, and real waits. */
export function createLiveDriver(options: LiveDriverOptions): Driver {
  const prompts = { ...DEFAULT_PROMPTS, ...options.prompts };
  const slow = options.slow ?? 0;
  const target: Target = {
    kind: 'live',
    baseUrl: options.baseUrl.replace(/\/+$/, ''),
    profile: options.profile,
    workspaceId: options.workspaceId,
    publicKeys: options.publicKeys ?? [],
    ...options.facts,
  };
  const means: Means = {
    target,
    control: false,
    readOnly: options.readOnly === true,
    slow,
    daemon: false,
    credential: (name) => options.credentials[name],
    behaviour: (name) => prompts[name] !== undefined,
  };
  return {
    target,
    fetch: options.fetch,
    remote: true,
    daemonFetch: options.fetch,
    slow,
    credential: means.credential,
    lacks: (need) => lacks(need, means),
    prompt: (behaviour, said = 'Thank you.') => (prompts[behaviour] ?? '{text}').replaceAll('{text}', () => said),
    settle: () => options.host.sleep(100),
    begin: async () => {},
    restore: async () => {},
    end: async () => {},
  };
}
