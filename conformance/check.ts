import type { Ctx } from './context.js';
import type { CredentialName } from './probe/request.js';
import type { Level, RequirementId } from './requirements/index.js';

/** What an intern can be led to: the shipped scripts of an emulator; on a live target those a prompt is known for. */
export type BehaviourName =
  | 'echo'
  | 'ask-permission'
  | 'ask-question'
  | 'ask-twice'
  | 'silent'
  | 'slow'
  | 'never-ends'
  | 'cancelled'
  | 'deadline'
  | 'severed'
  | 'fails'
  | 'refuses'
  | 'unreachable'
  | 'no-usage'
  | 'long'
  | 'unicode';

/**
 * What a check cannot do without. Missing ones make it a skip that names them. `api_key` is always there.
 *
 * - a credential by its name; `own_key`: an intern's own API key
 * - `write`: leave to create interns in the run's own name prefix
 * - `running`: an intern can be brought to run (implies `write`)
 * - `control`: the control interface of an emulator (scripts of one's own, faults, limits, runs)
 * - `clock`: time can be moved at will
 * - `slow:35s`: so much waiting; a clock moves there, without one it is waited for real within `--slow`
 * - `behaviour:ask-permission`: an intern can be led to do that
 * - `daemon`: a daemon that verifies proofs can be reached; `public_keys`: proofs can be verified by the kit
 * - the other facts of a target that not every one tells
 */
export type Need =
  | Exclude<CredentialName, 'api_key'>
  | 'write'
  | 'running'
  | 'control'
  | 'clock'
  | `slow:${number}s`
  | `behaviour:${BehaviourName}`
  | 'daemon'
  | 'public_keys'
  | 'foreign_workspace'
  | 'oauth_subject'
  | 'peer_oauth_subject'
  | 'scim_mapping'
  | 'regional_host';

/** One way to look whether a requirement is kept. */
export interface Check {
  /** `area/what-is-seen`, unique and stable. */
  readonly id: string;
  readonly requirement: RequirementId;
  /**
   * Which part of the requirement is judged: what the interface states (S) fails any target; what the published API
   * shows (P) fails where the profile is published, else warns; what is chosen (C) is looked at on an emulator only.
   */
  readonly level: Level;
  /** What holds, in one sentence. */
  readonly title: string;
  readonly needs: readonly Need[];
  /** Where the kit warns instead of failing on a live target although the level is S. */
  readonly onLive?: 'warn';
  /**
   * Each intern is made when it is asked for: order and age of creation matter. Without it, a live target may be spared
   * a create by handing out an intern that another check left as it was.
   */
  readonly fresh?: true;
  /** Too dear for a smoke run: left out, as a skip that says so, where properties have fewer runs. */
  readonly minRuns?: number;
  /** Cap on the runs of its properties, for those whose every run is dear. */
  readonly maxRuns?: number;
  run(ctx: Ctx): Promise<void>;
}

/** Keeps rows literal and typed. One call per file in `checks/`. */
export const defineChecks = <const Rows extends readonly Check[]>(rows: Rows): Rows => rows;
