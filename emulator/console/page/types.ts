import type { Shield } from '../../contract/checks.js';
import type { Ask, AskResult } from '../../contract/interaction.js';
import type { JournalEntry } from '../../contract/journal-entry.js';
import type { RunEnded, RunView, Usage } from '../../contract/run.js';

export type { ExchangeExplanation } from '../../contract/explanation.js';
export type { Ask, PermissionAsk, QuestionAsk, QuestionField } from '../../contract/interaction.js';
export type { Intern, Status } from '../../contract/intern.js';
export type { LabRequest, LabRun, Sent } from '../../contract/lab-run.js';
export type { Match } from '../../contract/match.js';
export type { Usage } from '../../contract/run.js';
export type { ScimGroup, ScimJob, ScimMapping } from '../../contract/scim.js';
export type { ExplainSignature, Explanation, ForgeList, Forgery } from '../../contract/signing-lab.js';
export type { VaultSecret } from '../../contract/vault.js';

/** A run as the control interface shows it. */
export type Run = RunView;

/** One thing that either side said in a run; `n` counts them. */
export type Line = { at: string; n: number } & (
  | { type: 'prompt' | 'steer' | 'content' | 'reasoning'; text: string }
  | { type: 'model'; model: string }
  | { type: 'ask'; id: string; ask: Ask }
  | { type: 'answer'; id: string; answer: AskResult }
  | { type: 'end'; ended: RunEnded; message?: string; usage: Usage | null }
);

/** An entry of the journal. */
export type Entry = JournalEntry;
/** A write of a stream, as the journal keeps it. */
export type Write = NonNullable<JournalEntry['writes']>[number];

export interface Clock {
  now: string;
  mode: 'real' | 'virtual' | 'frozen' | 'auto';
}

export interface Fault {
  /** Of one that is still to come. */
  id?: string;
  operation: string;
  disturb?: string;
  times?: number | 'always';
  intern_id?: string;
  after?: number;
  probability?: number;
  reset?: boolean;
  status?: number;
  delay?: number | string;
  disconnect?: true | string;
  at?: string;
  nth?: number;
  write?: string;
  state?: string;
}

/** A snapshot, or one whose file cannot be read. */
export type SnapshotView =
  | { name: string; now: string; interns: number; scripts: number; faults: number }
  | { name: string; unusable: string };

export interface ScriptView {
  name: string;
  from: string;
  description?: string;
  source?: unknown;
}

export interface Target {
  base_url: string;
  control_url: string;
  daemon_origin: string;
  profile: string;
  workspace_id: string;
  foreign_workspace_id?: string;
  credentials: {
    api_key: string;
    foreign_api_key?: string;
    management_key: string;
    oauth_token: string;
    intern?: { id: string; api_key: string };
  };
}

/** A row of the ledger of requirements. */
export interface Requirement {
  id: string;
  level: 'S' | 'P' | 'C';
  sentence: string;
  published?: string;
  chosen?: string;
  where: string;
}

export type Verdict = Shield['verdict'];
