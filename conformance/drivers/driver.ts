import type { Control } from '../framework/control.js';
import type { BehaviourName, Need } from '../framework/needs.js';
import type { Lack } from '../framework/skip.js';
import type { Target, TargetClock } from '../framework/target.js';
import type { Fetch } from '../probe/client.js';
import type { PlainFetch } from '../probe/outgoing.js';
import type { CredentialName } from '../probe/request.js';

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
  readonly clock?: TargetClock;
  /** ms of real time that one wait may take if no clock can be moved. */
  readonly slow: number;
  credential(name: CredentialName): string | undefined;
  /** Undefined if the need is met, else what is missing. */
  lacks(need: Need): Lack | undefined;
  /** A prompt that makes an intern behave so; `text` is what it says beside that. */
  prompt(behaviour: BehaviourName, text?: string): string;
  /** Another wording of that prompt from now on. False where there is none. */
  reword?(behaviour: BehaviourName): boolean;
  /** Lets what is already on its way arrive. */
  settle(): Promise<void>;
  /** Before the first check: lifts the limiter. */
  begin(): Promise<void>;
  /** After each check: restores limits, faults and scripts. */
  restore(): Promise<void>;
  /** After the last: restores everything and disposes. */
  end(): Promise<void>;
}
