import type { Lack } from '../model/skip.js';
import { type BehaviourName, behaviourIn, type Need, type Target, waitIn } from '../model/target.js';
import type { Fetch } from '../probe/client.js';
import type { HeldCredential, PlainFetch } from '../probe/request.js';
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
