import type { Profile } from '../../emulator/contract/profile.js';
import type { Lack } from '../model/skip.js';
import {
  type BehaviourName,
  behaviourIn,
  type Facts,
  type Need,
  type PublicKey,
  type Target,
  waitIn,
} from '../model/target.js';
import type { Fetch } from '../probe/client.js';
import type { HeldCredential, PlainFetch } from '../probe/request.js';
import type { Host } from '../probe/time.js';
import type { Control } from './control.js';

/** The abilities of a target, and how to make it. */
export interface Driver {
  readonly target: Target;
  readonly fetch: Fetch;
  /** The same at less cost, for what the target accepts without a `Request`. */
  readonly plainFetch?: PlainFetch;
  /** Whether there is a network in between; without one a Host header must be in the URL too. */
  readonly remote: boolean;
  /** Sends to the emulated daemon. Same as `fetch` over a network. */
  readonly daemonFetch: Fetch;
  readonly control?: Control;
  /** ms of real time that one wait may take if no clock can be moved. */
  readonly slow: number;
  credential(name: HeldCredential): string | undefined;
  /** Undefined if the need is met, else what is missing. */
  lacks(need: Need): Lack | undefined;
  /** A prompt that makes an intern behave so; `text` is what it says beside that. */
  prompt(behaviour: BehaviourName, text?: string): string;
  /** Another wording of that prompt from now on. False where there is none. */
  reword?(behaviour: BehaviourName): boolean;
  /** Lets what is already on its way arrive. */
  settle(): Promise<void>;
  /** Before the first check: lifts the limiter. */
  begin?(): Promise<void>;
  /** After each check: restores limits, faults and scripts. */
  restore?(): Promise<void>;
  /** After the last: restores everything and disposes. */
  end?(): Promise<void>;
}

/** A driver whose target is reached until it is closed. */
export interface Connected {
  readonly driver: Driver;
  close(): Promise<void>;
}

/** The facts that decide whether a need is met. */
export interface Means {
  readonly target: Target;
  /** Whether the emulator exists for this run alone. */
  readonly disposable?: boolean;
  readonly readOnly: boolean;
  /** ms that a real wait may take, where no clock can be moved. */
  readonly slow: number;
  credential(name: HeldCredential): string | undefined;
  behaviour(name: BehaviourName): boolean;
}

/** The facts of a target that needs stand for. */
const FACT: Partial<Record<Need, keyof Target>> = {
  daemon: 'daemonOrigin',
  foreign_workspace: 'foreignWorkspaceId',
  oauth_subject: 'oauthSubject',
  peer_oauth_subject: 'peerOauthSubject',
  scim_mapping: 'scimMappingId',
  scim_group: 'scimGroupId',
  regional_host: 'regionalHost',
};

/** Whether a fact or a thing that a need stands for is there. */
function isThere(need: Need, { target, ...means }: Means): boolean {
  const controlled = target.kind === 'emulator';
  const fact = FACT[need];
  if (fact !== undefined) return target[fact] !== undefined;
  if (need === 'control' || need === 'clock') return controlled;
  if (need === 'disposable') return means.disposable === true;
  if (need === 'public_keys') return target.publicKeys.length > 0;
  if (need === 'scim_sync') return target.scimSync === 'yes';
  const behaviour = behaviourIn(need);
  if (behaviour !== undefined) return means.behaviour(behaviour);
  const wait = waitIn(need);
  if (wait !== undefined) return controlled || wait <= means.slow;
  return means.credential(need as HeldCredential) !== undefined;
}

/** Undefined if the means meet the need, else what is missing. */
export function lacks(need: Need, means: Means): Lack | undefined {
  const { kind, ownInternId } = means.target;
  const lack = { kind: 'lacks', need } as const;
  const writes = need === 'write' || need === 'running' || (need === 'own_key' && kind === 'emulator');
  if (writes) return means.readOnly ? { ...lack, how: 'read-only' } : undefined;
  if (!isThere(need, means)) return lack;
  return need === 'own_key' && ownInternId === undefined ? { ...lack, how: 'intern-id' } : undefined;
}

/** Prompts by the behaviour they cause, the first to try first. `{text}` is replaced by what a check wants said. */
export type Prompts = Partial<Record<BehaviourName, string | readonly string[]>>;

/**
 * The default prompts that make an intern ask and stay silent. The first line names a script: an emulator without its
 * control interface follows it; to a real intern it is a line of text.
 */
export const DEFAULT_PROMPTS: Prompts = {
  echo: '{text}',
  'ask-permission': [
    'script: ask-permission\nUse your shell tool to run `echo ready`, asking for my permission first, and then say that you are done. {text}',
    'script: ask-permission\nRun the command `echo ready` in your shell. I will allow it when I am asked. {text}',
    'script: ask-permission\nCreate an empty file named ready.txt in your home directory with your shell tool. {text}',
  ],
  'ask-permission-twice': [
    'script: ask-permission-twice\nUse your shell tool to run `echo one`, and once that is done use it again to run `echo two`. Ask for my permission before each of them. {text}',
    'script: ask-permission-twice\nRun `echo one` in your shell, then, as a call of its own, `echo two`. I will allow each when I am asked. {text}',
  ],
  'ask-question': [
    'script: ask-question\nAsk me, through your tool for questions to the user, which colour I like best, and then repeat my answer. {text}',
    'script: ask-question\nBefore you do anything you need to know which colour I like best: ask me with your tool for that. {text}',
  ],
  'ask-then-silent': [
    'script: ask-then-silent\nUse your shell tool to run `echo ready`, asking for my permission first. Then say the one word "working", run `sleep 300` in your shell without any output, and then say "done". {text}',
    'script: ask-then-silent\nRun `echo ready` in your shell; I will allow it when I am asked. After that say "working", and then do nothing for five minutes (`sleep 300` in your shell). {text}',
  ],
  'says-nothing': [
    'script: says-nothing\nEnd your turn at once, without writing anything at all.',
    'script: says-nothing\nThis is a test of an empty reply: answer with no text, no greeting and no explanation.',
  ],
  silent: [
    'script: silent\nFirst say the one word "waiting". Then run `sleep 300` in your shell without any output, and then say "done". {text}',
    'script: silent\nSay "waiting", and then do nothing for five minutes (`sleep 300` in your shell) before you say "done". {text}',
  ],
};

export interface LiveDriverOptions {
  readonly baseUrl: string;
  readonly fetch: Fetch;
  readonly host: Host;
  readonly profile: Profile;
  readonly workspaceId: string;
  readonly credentials: Partial<Record<HeldCredential, string>>;
  readonly facts?: Facts;
  readonly publicKeys?: readonly PublicKey[];
  readonly prompts?: Prompts;
  /** ms of real time that one wait may take. */
  readonly slow?: number;
  readonly readOnly?: boolean;
}

/** Every wording of each behaviour: the given ones first. */
function wordingsOf(given: Prompts): Map<BehaviourName, readonly string[]> {
  const names = Object.keys({ ...DEFAULT_PROMPTS, ...given }) as BehaviourName[];
  return new Map(names.map((name) => [name, [given[name] ?? [], DEFAULT_PROMPTS[name] ?? []].flat()]));
}

/** Drives a deployment with only the interface itself: prompts, and real waits. */
export function createLiveDriver(options: LiveDriverOptions): Driver {
  const wordings = wordingsOf(options.prompts ?? {});
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
    readOnly: options.readOnly === true,
    slow,
    credential: (name) => options.credentials[name],
    behaviour: (name) => wordings.has(name),
  };
  return {
    target,
    fetch: options.fetch,
    remote: true,
    daemonFetch: options.fetch,
    slow,
    credential: means.credential,
    lacks: (need) => lacks(need, means),
    prompt: (behaviour, said = 'Thank you.') =>
      (wordings.get(behaviour)?.[0] ?? '{text}').replaceAll('{text}', () => said),
    reword(behaviour) {
      const [, ...others] = wordings.get(behaviour) ?? [];
      if (others.length > 0) wordings.set(behaviour, others);
      return others.length > 0;
    },
    settle: () => options.host.sleep(100),
  };
}
