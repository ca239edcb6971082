import type { JournalEntry, Shield } from '../../contract/journal-entry.js';
import type { RunView } from '../../contract/run.js';

export type { ExchangeExplanation } from '../../contract/explanation.js';
export type { Ask, PermissionAsk, QuestionAsk, QuestionField } from '../../contract/interaction.js';
export type { Intern, Status } from '../../contract/intern.js';
export type { LabRequest, LabRun, Sent } from '../../contract/lab-run.js';
export type { Match } from '../../contract/match.js';
export type { Usage } from '../../contract/run.js';
export type { ScimGroup, ScimJob, ScimMapping } from '../../contract/scim.js';
export type { ExplainSignature, Explanation, ForgeList, Forgery } from '../../contract/signing-lab.js';
export type { Target } from '../../contract/target.js';
export type { VaultSecret } from '../../contract/vault.js';
export type { ClockView, Line, ListedSnapshot, ScriptView } from '../../contract/views.js';

export type Run = RunView;

export type Entry = JournalEntry;
export type Write = NonNullable<JournalEntry['writes']>[number];

export interface Fault {
  /** Id of a fault that is still to come. */
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

export interface Requirement {
  id: string;
  level: 'S' | 'P' | 'C';
  sentence: string;
  published?: string;
  chosen?: string;
  where: string;
}

export type Verdict = Shield['verdict'];
