import type * as Z from 'zod';
import { clientCaseSchema } from '../contract/client-case.js';
import { exchangeExplanationSchema } from '../contract/explanation.js';
import { faultSchema } from '../contract/fault.js';
import type { Ask } from '../contract/interaction.js';
import { internSchema, timestampSchema } from '../contract/intern.js';
import { journalEntrySchema } from '../contract/journal-entry.js';
import { labResultSchema } from '../contract/lab-result.js';
import type { LabRun, Sent } from '../contract/lab-run.js';
import { matchSchema } from '../contract/match.js';
import { RUN_ENDS, runViewSchema } from '../contract/run.js';
import { askSchema, usageSchema } from '../contract/script.js';
import { settingsSchema } from '../contract/settings.js';
import type { JwkSet } from '../contract/signing.js';
import { defectSchema, explanationSchema, forgerySchema } from '../contract/signing-lab.js';
import { stateSchema } from '../contract/state.js';
import { loadZod } from '../contract/with-zod.js';
import type { SaidView } from '../domain/transcripts.js';
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

const ended = z.enum(RUN_ENDS);
const ask = askSchema() as Z.ZodType<Ask>;

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
  Defect: defectSchema(),
  ExchangeExplanation: exchangeExplanationSchema(),
  Explanation: explanationSchema(),
  Forgery: forgerySchema(),
  Har: har,
  Health: z.strictObject({ status: z.literal('ok'), version: text }),
  Imported: z.strictObject({ imported: z.literal(true) }),
  Intern: internSchema(),
  InternView: z.strictObject({
    intern: internSchema(),
    vault: z.strictObject({ id: text.nullable() }),
    script: text.nullable(),
    runs: z.array(runViewSchema()),
    api_key: text,
  }) satisfies Z.ZodType<InternView>,
  JournalEntry: journalEntrySchema(),
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
  Run: runViewSchema(),
  RunWhole: runViewSchema().extend({
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
