import type * as Z from 'zod';
import { clientCaseSchema } from '../contract/client-case.js';
import { DAEMON_HINTS, DAEMON_REFUSALS, type DaemonReason, type Verified } from '../contract/daemon.js';
import { exchangeExplanationSchema } from '../contract/explanation.js';
import { faultSchema, type Injected } from '../contract/fault.js';
import type { Ask } from '../contract/interaction.js';
import { internSchema, timestampSchema } from '../contract/intern.js';
import { labResultSchema } from '../contract/lab-result.js';
import type { LabRun, Sent } from '../contract/lab-run.js';
import { matchSchema } from '../contract/match.js';
import type { FieldProblem } from '../contract/problem.js';
import type { RunView } from '../contract/run.js';
import { askSchema, usageSchema } from '../contract/script.js';
import { settingsSchema } from '../contract/settings.js';
import type { JwkSet } from '../contract/signing.js';
import type { Explanation, Forgery } from '../contract/signing-lab.js';
import { stateSchema } from '../contract/state.js';
import { loadZod } from '../contract/with-zod.js';
import type { SaidView } from '../domain/transcripts.js';
import type { JournalEntry } from '../http/journal-entry.js';
import type { StartedRun } from '../lab/lab.js';
import type { ScriptView } from '../scripts/registry.js';
import type { ListedCall } from './listing.js';
import type { InternView } from './readers.js';
import type { SnapshotView } from './snapshots.js';
import type { Target } from './target.js';

const z = loadZod();

const text = z.string();
const count = z.int().min(0);
const time = timestampSchema();
const strings = z.record(text, text);

const call = z.strictObject({
  method: text,
  path: text,
  does: text,
  body: text.nullable(),
  query: strings.exactOptional(),
}) satisfies Z.ZodType<ListedCall>;

const key = z.strictObject({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: text,
  kid: text,
  alg: z.literal('EdDSA'),
  use: z.literal('sig'),
});

const target = z.strictObject({
  base_url: text,
  control_url: text,
  daemon_origin: text,
  ca_file: text.exactOptional(),
  profile: text,
  default_workspace: z.boolean(),
  workspace_id: text,
  foreign_workspace_id: text.exactOptional(),
  oauth_subject: text,
  peer_oauth_subject: text.exactOptional(),
  clock: z.enum(['real', 'virtual']),
  public_keys: z.array(key),
  scim_mapping_id: text.exactOptional(),
  scim_group_id: text.exactOptional(),
  foreign_organization_workspace_id: text.exactOptional(),
  foreign_scim_group_id: text.exactOptional(),
  foreign_scim_mapping_id: text.exactOptional(),
  credentials: z.strictObject({
    api_key: text,
    peer_api_key: text.exactOptional(),
    foreign_api_key: text.exactOptional(),
    outsider_api_key: text.exactOptional(),
    management_key: text,
    foreign_management_key: text.exactOptional(),
    oauth_token: text,
    oauth_interns_only_token: text,
    peer_oauth_token: text.exactOptional(),
    intern: z.strictObject({ id: text, api_key: text }).exactOptional(),
  }),
}) satisfies Z.ZodType<Target>;

const clock = z.strictObject({ now: time, mode: z.enum(['real', 'virtual', 'frozen']) });

const script = z.strictObject({
  name: text,
  from: z.enum(['control', 'code', 'file', 'stock']),
  description: text.exactOptional(),
  source: z
    .unknown()
    .optional()
    .meta({ description: 'Its JSON; a script in code has none, and a list leaves it out.' }),
}) satisfies Z.ZodType<ScriptView>;

const ended = z.enum(['stop', 'cancelled', 'deadline', 'severed', 'failed']);
const ask = askSchema() as Z.ZodType<Ask>;

const runFields = {
  id: text,
  intern_id: text,
  session_id: text,
  origin: z.enum(['chat', 'invoke']),
  status: z.enum(['running', 'waiting', 'ended']),
  question: z.strictObject({ id: text, deadline: time, ask }).exactOptional(),
  ended: ended.exactOptional(),
  started_at: time,
  ended_at: time.exactOptional(),
};
const run = z.strictObject(runFields) satisfies Z.ZodType<RunView>;

const answerOfQuestion = z.union([
  text,
  z.strictObject({
    action: z.enum(['accept', 'decline', 'cancel']),
    content: z.record(text, z.unknown()).exactOptional(),
  }),
]);
const line = { n: count, at: time };
const said = z.discriminatedUnion('type', [
  z.strictObject({ ...line, type: z.enum(['prompt', 'steer', 'content', 'reasoning']), text }),
  z.strictObject({ ...line, type: z.literal('model'), model: text }),
  z.strictObject({ ...line, type: z.literal('ask'), id: text, ask }),
  z.strictObject({ ...line, type: z.literal('answer'), id: text, answer: answerOfQuestion }),
  z.strictObject({
    ...line,
    type: z.literal('end'),
    ended,
    message: text.exactOptional(),
    usage: usageSchema().nullable(),
  }),
]) as Z.ZodType<SaidView>;

const { status, delay, disconnect, reset, at, disturb, write, state } = faultSchema().shape;
const effects = { status, delay, disconnect, reset, at, disturb, write, state };
const injected = z.strictObject(effects) as Z.ZodType<Injected>;

const fieldProblem = z.strictObject({
  path: z.array(z.union([text, z.number()])),
  message: text,
  unknown: z.array(text).exactOptional(),
}) satisfies Z.ZodType<FieldProblem>;

const message = { headers: strings, body: text.nullable() };
const journalEntry = z.strictObject({
  id: text,
  at: time,
  operation: text.nullable(),
  caller: text.nullable(),
  intern_id: text.nullable(),
  run_id: text.nullable(),
  script: text.nullable(),
  ms: z.number().nullable(),
  wrong: text.nullable(),
  requirement: text.nullable(),
  fields: z.array(fieldProblem).exactOptional(),
  injected: injected.exactOptional(),
  trace: z.strictObject({ trace_id: text, parent_id: text, sampled: z.boolean() }).exactOptional(),
  request: z.strictObject({ method: text, url: text, ...message }),
  response: z.strictObject({ status: z.int().nullable(), ...message }),
  writes: z.array(z.strictObject({ at: time, bytes: count, text })).exactOptional(),
  closed: z
    .strictObject({ at: time, how: z.enum(['complete', 'client_left', 'dropped']), run_ended: text.exactOptional() })
    .exactOptional(),
  truncated: z.literal(true).exactOptional(),
}) satisfies Z.ZodType<JournalEntry>;

const har = z.looseObject({ log: z.looseObject({ version: z.literal('1.2'), entries: z.array(z.looseObject({})) }) });

const snapshot = z.strictObject({
  name: text,
  now: time,
  interns: count,
  scripts: count,
  faults: count,
  turns_per_minute: count,
}) satisfies Z.ZodType<SnapshotView>;

const space = target.extend({ name: text, created_at: time, used_at: time, target });

const reason = z.enum(Object.keys(DAEMON_REFUSALS) as [DaemonReason, ...DaemonReason[]]).nullable();
const hint = z.enum(DAEMON_HINTS).nullable();
const bytes = { text, hex: text, length: count };
const verified = z.strictObject({
  version: z.enum(['v1', 'v2']),
  intern_id: text,
  user: text,
  timestamp: text,
  nonce: text.exactOptional(),
  method: text,
  path: text,
  body_sha256: text,
}) satisfies Z.ZodType<Verified>;

const explanation = z.strictObject({
  verdict: z.enum(['accepted', 'refused']),
  reason,
  hint,
  summary: text,
  steps: z.array(
    z.strictObject({
      check: z.enum(['token', 'presence', 'form', 'time', 'signature', 'nonce']),
      result: z.enum(['passed', 'failed', 'not reached', 'not given']),
      detail: text,
    }),
  ),
  time: z.strictObject({
    now: z.number(),
    timestamp: z.number().nullable(),
    age: z.number().nullable(),
    window: z.number(),
    future_tolerance: z.number(),
  }),
  nonce: z.strictObject({ value: text.nullable(), state: z.enum(['absent', 'unused', 'used']) }),
  signatures: z.array(
    z.strictObject({
      version: z.enum(['v1', 'v2']),
      header: text,
      verifies: z.boolean(),
      expected: z.strictObject(bytes).nullable(),
      found: z.strictObject({ ...bytes, how: z.enum(['issued', 'tried']), mistake: text.nullable() }).nullable(),
      first_difference: z
        .strictObject({ index: count, expected: text.nullable(), found: text.nullable(), field: text.nullable() })
        .nullable(),
      fields: z.array(
        z.strictObject({
          name: text,
          from: text,
          expected: text.nullable(),
          signed: text.nullable(),
          same: z.boolean().nullable(),
        }),
      ),
      problem: text.nullable(),
    }),
  ),
  verified: verified.nullable(),
}) satisfies Z.ZodType<Explanation>;

const expected = z.strictObject({ status: z.union([z.literal(200), z.literal(401)]), reason, hint });
const forged = z.strictObject({
  method: text,
  url: text,
  headers: z.record(text, z.union([text, z.array(text)])),
  body: text,
});
const forgery = z.strictObject({
  defect: text,
  description: text,
  expected,
  intern_id: text,
  prior: z.array(forged),
  request: forged,
  twin: forged,
}) satisfies Z.ZodType<Forgery>;
const defect = z.strictObject({ defect: text, description: text, expected });

const result = labResultSchema().shape;
const labRun = z.strictObject({
  run: text,
  case: text,
  url: text,
  base_url: text,
  started: z.number(),
  requests: result.requests,
  prompt: z.array(z.strictObject({ due: count, out: count })),
  cuts: z.array(count).optional(),
  result: z
    .strictObject({
      client: text,
      verdict: result.verdict,
      sentence: text.exactOptional(),
      expected: text.exactOptional(),
      actual: text.exactOptional(),
    })
    .exactOptional(),
}) satisfies Z.ZodType<LabRun>;

const startedRun = z.strictObject({
  run: text,
  url: text,
  base_url: text,
  ca: text.exactOptional(),
  sign_url: text.exactOptional(),
  daemon_origin: text.exactOptional(),
  daemon_token: text.exactOptional(),
  headers: strings,
  request: clientCaseSchema.shape.request,
}) satisfies Z.ZodType<Omit<StartedRun, 'key'>>;

const { id, layer, class: kind, title } = clientCaseSchema.shape;
const listedCase = z.strictObject({ id, layer, class: kind, title, needs: z.array(text) });

const sent = z.strictObject({
  request: count,
  parts: z.array(
    z.strictObject({
      at: z.number().exactOptional(),
      bytes: count.exactOptional(),
      text,
      hex: z.literal(true).exactOptional(),
    }),
  ),
  more: count,
}) satisfies Z.ZodType<Sent>;

const { turns_per_minute, vault_writes, scim_sync } = settingsSchema().shape;

/** What calls of the control interface answer, by the names of components. */
export const answerSchemas = {
  AdapterRun: z.strictObject({ headline: text, counts: z.record(text, z.int()), reasons: z.array(text) }),
  Call: call,
  Clock: clock,
  ClientCase: clientCaseSchema,
  Defect: defect,
  ExchangeExplanation: exchangeExplanationSchema(),
  Explanation: explanation,
  Forgery: forgery,
  Har: har,
  Health: z.strictObject({ status: z.literal('ok'), version: text }),
  Imported: z.strictObject({ imported: z.literal(true) }),
  Intern: internSchema(),
  InternView: z.strictObject({
    intern: internSchema(),
    vault: z.strictObject({ id: text.nullable() }),
    script: text.nullable(),
    runs: z.array(run),
    api_key: text,
  }) satisfies Z.ZodType<InternView>,
  JournalEntry: journalEntry,
  Keys: z.strictObject({ keys: z.array(key) }) satisfies Z.ZodType<JwkSet>,
  LabRun: labRun,
  LabRunAdded: z.strictObject({ run: text }),
  LabRunStarted: startedRun,
  Limits: z.strictObject({ turns_per_minute: turns_per_minute.unwrap() }),
  ListedCase: listedCase,
  ListedFault: faultSchema().safeExtend({ id: text }),
  Match: matchSchema(),
  OpenApi: z.looseObject({ openapi: z.literal('3.1.0') }),
  Reset: z.strictObject({ reset: z.literal(true) }),
  Restored: clock.extend({ restored: text }),
  Reveal: z.strictObject({ intern_id: text, caller: text, at: time }),
  Run: run,
  RunWhole: z.strictObject({
    ...runFields,
    script: text,
    script_by: text,
    approval_mode: z.enum(['manual', 'self-drive']),
    usage: usageSchema().nullable(),
    transcript: z.array(said).nullable().meta({ description: 'Null if it is no longer held.' }),
    transcript_cut: z.literal(true).exactOptional(),
  }),
  Script: script,
  Sent: sent,
  SetFault: faultSchema(),
  Snapshot: snapshot,
  SnapshotListed: z.union([snapshot, z.strictObject({ name: text, unusable: text })]),
  Space: space,
  State: stateSchema(),
  Switches: z.strictObject({ vault_writes: vault_writes.unwrap(), scim_sync: scim_sync.unwrap() }),
  Target: target,
} as const satisfies Record<string, Z.ZodType>;
