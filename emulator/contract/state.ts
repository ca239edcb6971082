import type * as z from 'zod';
import { internSchema, timestampSchema } from './intern.js';
import { matchesSchema } from './match.js';
import { words } from './problem.js';
import { scimJobRowSchema, scimMappingSchema } from './scim.js';
import { secretRowSchema } from './vault.js';
import { type Infer, withZod } from './with-zod.js';

/**
 * The state of an emulator, as rows of named collections. The same schemas validate a store file when it is opened and a
 * state that is imported through the control interface.
 */

/** Replaces a credential in an export made without credentials. */
export const HIDDEN = '[redacted]';

/** An intern: its public record, and what only the service knows. */
export const internRowSchema = withZod((z) =>
  z.strictObject({
    id: z.uuid().refine((id) => id === id.toLowerCase(), 'expected a UUID in lower case'),
    /** Grows with every create: the order of the list, whatever the clock does. A cursor names it. */
    seq: z.int().min(1).max(999_999_999_999_999),
    record: internSchema(),
    /** Caller id of the creator (names are unique per creator and workspace). */
    creator: z.string(),
    /** The intern's own API key (AUTH-4). */
    api_key: z.string(),
    /** Script put on it through the control interface. */
    script: z.string().nullable(),
    /** Model and instructions as of the last boot: changes take effect at the next provision (UPDATE-1). */
    booted: z.strictObject({ model: z.string().nullable(), instructions: z.string().nullable() }).nullable(),
    /** The disk survives suspension and ends with the intern. */
    disk_id: z.uuid().nullable(),
    /** One per boot (DAEMON-1); null while there is no runtime. */
    daemon_token: z.string().nullable(),
    /** Whether the loss of the workspace was acknowledged by a delete (DELETE-3). */
    loss_acknowledged: z.boolean(),
    /** The steps that a create has still to do, in order (CREATE-4); empty once it is finished. */
    unfinished: z.array(z.enum(['vault', 'provisioner'])),
    /** The steps that have failed once already, for scripts that fail them once. */
    failed_once: z.array(z.enum(['vault', 'provisioner'])),
  }),
);
export type InternRow = Infer<typeof internRowSchema>;

/** A create as its caller may retry it (CREATE-4). `id` is caller id and key, joined by a newline. */
export const idempotencyRowSchema = withZod((z) =>
  z.strictObject({
    id: z.string(),
    intern_id: z.uuid(),
    /** SHA-256 of the body in canonical JSON: equal JSON values have equal digests. */
    body_hash: z.string(),
    /** Derived from the body, and then forgotten with its intern. */
    derived: z.boolean(),
    /** The first answer, once the create is finished. */
    answer: internSchema().nullable(),
  }),
);
export type IdempotencyRow = Infer<typeof idempotencyRowSchema>;

/** The id of a row that belongs to an intern. */
export const rowIdOf = (internId: string, id: string): string => `${internId}\n${id}`;

/** A conversation that invoke issued. `id` is intern id and session id, joined by a newline. */
export const sessionRowSchema = withZod((z) =>
  z.strictObject({
    id: z.string(),
    intern_id: z.uuid(),
    session_id: z.string(),
    /** Caller id it was issued to (INVOKE-3). */
    caller: z.string(),
  }),
);
export type SessionRow = Infer<typeof sessionRowSchema>;

/** A question that a chat run asked (CHAT-7). `id` is intern id and question id, joined by a newline. */
export const questionRowSchema = withZod((z) =>
  z.strictObject({ id: z.string(), intern_id: z.uuid(), session_id: z.string() }),
);
export type QuestionRow = Infer<typeof questionRowSchema>;

/** A reveal of a daemon token (DAEMON-2). Never holds the token. */
export const revealRowSchema = withZod((z) =>
  z.strictObject({
    id: z.string(),
    intern_id: z.uuid(),
    caller: z.string(),
    at: timestampSchema(),
  }),
);
export type RevealRow = Infer<typeof revealRowSchema>;

/** A script put through the control interface; `source` is the JSON script. */
export const scriptRowSchema = withZod((z) => z.strictObject({ id: z.string(), source: z.unknown() }));
export type ScriptRow = Infer<typeof scriptRowSchema>;

/** A nonce of a v2 proof that was used (SIGN-7). `id` is intern id and nonce, joined by a newline. */
export const nonceRowSchema = withZod((z) =>
  z.strictObject({
    id: z.string(),
    /** The proof's timestamp, Unix seconds. */
    timestamp: z.int(),
  }),
);
export type NonceRow = Infer<typeof nonceRowSchema>;

/**
 * Single values, by name: `openings`, `seq`, `seeded`, `nonces_since`, `directory` where the state holds the secrets and
 * mappings of its seed, or what became of them, and `matches` where some were put.
 */
export const metaRowSchema = withZod((z) =>
  z.strictObject({ id: z.string(), value: z.json() }).superRefine(({ id, value }, context) => {
    if (id !== 'matches') return;
    for (const { path, message } of matchesSchema().safeParse(value, { error: words }).error?.issues ?? [])
      context.addIssue({ code: 'custom', path: ['value', ...path], message });
  }),
);
export type MetaRow = Infer<typeof metaRowSchema>;

export const COLLECTIONS = {
  meta: metaRowSchema,
  interns: internRowSchema,
  idempotency: idempotencyRowSchema,
  sessions: sessionRowSchema,
  questions: questionRowSchema,
  reveals: revealRowSchema,
  scripts: scriptRowSchema,
  nonces: nonceRowSchema,
  secrets: secretRowSchema,
  scim_mappings: scimMappingSchema,
  scim_jobs: scimJobRowSchema,
} as const;
export type CollectionName = keyof typeof COLLECTIONS;
export type Rows = { [Name in CollectionName]: Infer<(typeof COLLECTIONS)[Name]> };

/** A rule between interns that one of them breaks. */
export interface RowConflict {
  /** Within the list of interns. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/**
 * Rules that valid interns can break together: names are unique per creator and workspace (CREATE-5), a vault belongs
 * to one intern (CREATE-2), and so do a key and a place in the list (LIST-3).
 */
export function conflictsOf(rows: readonly InternRow[]): RowConflict[] {
  const conflicts: RowConflict[] = [];
  const seen = new Set<string>();
  const once = (key: string, path: RowConflict['path'], message: string) => {
    if (seen.has(key)) conflicts.push({ path, message });
    seen.add(key);
  };
  for (const [index, { id, seq, record, creator, api_key }] of rows.entries()) {
    const at = (...keys: string[]) => [index, ...keys];
    if (record.id !== id) conflicts.push({ path: at('record', 'id'), message: `expected the id of its row, ${id}` });
    once(`seq ${seq}`, at('seq'), 'another intern has this place in the list');
    const { name, workspace_id, vault_id } = record;
    const taken = `${creator} has another intern called "${name}" in this workspace`;
    once(`name ${creator}\n${workspace_id}\n${name}`, at('record', 'name'), taken);
    if (vault_id !== null) once(`vault ${vault_id}`, at('record', 'vault_id'), 'another intern has this vault');
    if (api_key !== HIDDEN) once(`key ${api_key}`, at('api_key'), 'another intern has this key');
  }
  return conflicts;
}

/** Version of the file format and of exports. A newer one is refused, an older one migrated. */
export const STATE_VERSION = 4;

/** A whole state: the contents of a store file's snapshot and of an export. */
export const stateSchema = withZod((z) => {
  const rowsOf = <T extends z.ZodType<{ id: string }>>(row: () => T) =>
    z.array(row()).superRefine((rows, context) => {
      const seen = new Set<string>();
      for (const [index, { id }] of rows.entries()) {
        if (seen.has(id)) context.addIssue({ code: 'custom', path: [index, 'id'], message: `${id} is there twice` });
        seen.add(id);
      }
    });
  return z.strictObject({
    format: z.literal('intern-emulator'),
    version: z.literal(STATE_VERSION),
    meta: rowsOf(metaRowSchema),
    interns: rowsOf(internRowSchema).superRefine((rows, context) => {
      for (const { path, message } of conflictsOf(rows)) context.addIssue({ code: 'custom', path: [...path], message });
    }),
    idempotency: rowsOf(idempotencyRowSchema),
    sessions: rowsOf(sessionRowSchema),
    questions: rowsOf(questionRowSchema),
    reveals: rowsOf(revealRowSchema),
    scripts: rowsOf(scriptRowSchema),
    nonces: rowsOf(nonceRowSchema),
    secrets: rowsOf(secretRowSchema),
    scim_mappings: rowsOf(scimMappingSchema),
    scim_jobs: rowsOf(scimJobRowSchema),
  });
});
export type State = Infer<typeof stateSchema>;
