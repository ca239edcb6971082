import type { Profile } from '../../emulator/contract/profile.js';
import type { BehaviourName, Facts, PublicKey, Target } from '../model/target.js';
import type { Fetch } from '../probe/client.js';
import type { HeldCredential } from '../probe/request.js';
import type { Host } from '../probe/time.js';
import { type Driver, lacks, type Means } from './driver.js';

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
