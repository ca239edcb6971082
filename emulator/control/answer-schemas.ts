import type * as Z from 'zod';
import { clientCaseSchema } from '../contract/client-case.js';
import { exchangeExplanationSchema } from '../contract/explanation.js';
import { faultSchema } from '../contract/fault.js';
import { internSchema, timestampSchema } from '../contract/intern.js';
import { journalEntrySchema } from '../contract/journal-entry.js';
import { labRunSchema, sentSchema } from '../contract/lab-run.js';
import { matchSchema } from '../contract/match.js';
import { runViewSchema } from '../contract/run.js';
import { usageSchema } from '../contract/script.js';
import { settingsSchema } from '../contract/settings.js';
import { publicJwkSchema } from '../contract/signing.js';
import { defectSchema, explanationSchema, forgerySchema } from '../contract/signing-lab.js';
import { stateSchema } from '../contract/state.js';
import { targetSchema } from '../contract/target.js';
import {
  callSchema,
  clockSchema,
  lineSchema,
  listedSnapshotSchema,
  scriptViewSchema,
  snapshotSchema,
} from '../contract/views.js';
import { loadZod } from '../contract/with-zod.js';
import type { StartedRun } from '../lab/lab.js';

const z = loadZod();

const text = z.string();
const time = timestampSchema();
const strings = z.record(text, text);

const target = targetSchema();
const clock = clockSchema();

const har = z.looseObject({ log: z.looseObject({ version: z.literal('1.2'), entries: z.array(z.looseObject({})) }) });

const space = target.extend({ name: text, created_at: time, used_at: time, target });

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

const { turns_per_minute, vault_writes, scim_sync } = settingsSchema().shape;

/** The schemas of the control interface's answers, by the names of components. */
export const answerSchemas = {
  AdapterRun: z.strictObject({ headline: text, counts: z.record(text, z.int()), reasons: z.array(text) }),
  Call: callSchema(),
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
  }),
  JournalEntry: journalEntrySchema(),
  Keys: z.strictObject({ keys: z.array(publicJwkSchema()) }),
  LabRun: labRunSchema(),
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
    transcript: z.array(lineSchema()).nullable().meta({ description: 'Null if it is no longer held.' }),
    transcript_cut: z.literal(true).exactOptional(),
  }),
  Script: scriptViewSchema(),
  Sent: sentSchema(),
  SetFault: faultSchema(),
  Snapshot: snapshotSchema(),
  SnapshotListed: listedSnapshotSchema(),
  Space: space,
  State: stateSchema(),
  Switches: z.strictObject({ vault_writes: vault_writes.unwrap(), scim_sync: scim_sync.unwrap() }),
  Target: target,
} as const satisfies Record<string, Z.ZodType>;
