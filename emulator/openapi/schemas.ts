import type * as Z from 'zod';
import { createBodySchema, deleteBodySchema, internSchema, promptText, updateBodySchema } from '../contract/intern.js';
import { type Profile, proofHeaders } from '../contract/profile.js';
import {
  createMappingSchema,
  scimGroupSchema,
  scimJobSchema,
  scimMappingSchema,
  updateMappingSchema,
} from '../contract/scim.js';
import { usageSchema } from '../contract/script.js';
import { ROUTE_PATH } from '../contract/signing.js';
import { base64Schema } from '../contract/signing-lab.js';
import { copySecretsSchema, storeSecretSchema, vaultSecretSchema } from '../contract/vault.js';
import { loadZod } from '../contract/with-zod.js';

const z = loadZod();

const sessionId = z
  .string()
  .meta({ minLength: 1, maxLength: 256, description: 'Names a session of the intern. No control characters.' });

const part = z.looseObject({ type: z.literal('text'), text: z.string() });
const content = z.union([z.string(), z.array(part), z.null()]);

const message = z
  .looseObject({
    role: z.string().meta({ description: '`user` or `tool` on the last message.' }),
    content: content.optional(),
    tool_call_id: z.string().optional().meta({ description: 'On a `tool` message: the id of the tool call.' }),
  })
  .meta({ description: 'Only the last message is read.' });

const requests = ({ route_methods, default_workspace }: Profile) => ({
  CreateInternRequest: createBodySchema({ default_workspace })(),
  UpdateInternRequest: updateBodySchema(),
  DeleteInternRequest: deleteBodySchema(),
  NoFields: z.strictObject({}),
  ChatCompletionRequest: z.looseObject({
    messages: z.array(message).min(1),
    stream: z.literal(true),
    session_id: sessionId.optional(),
    approval_mode: z.enum(['manual', 'self-drive']).optional(),
    model: z.unknown().optional().meta({ description: 'Ignored: the intern says which model it runs.' }),
  }),
  CreateScimGroupMappingRequest: createMappingSchema(),
  UpdateScimGroupMappingRequest: updateMappingSchema(),
  VaultSecretWriteRequest: storeSecretSchema(),
  VaultSecretCopyRequest: copySecretsSchema(),
  InvokeInternRequest: z.looseObject({ input: promptText(), session_id: sessionId.optional() }),
  SignDaemonRequest: z.looseObject({
    bodySha256: z.string().regex(/^[0-9a-f]{64}$/),
    route: z
      .looseObject({ method: z.literal(route_methods), path: z.string().regex(ROUTE_PATH) })
      .optional()
      .meta({ description: 'The daemon request that the proof is for. With it, the answer carries the v2 proof.' }),
  }),
});

const streamError = z.strictObject({
  code: z.int(),
  message: z.string(),
  metadata: z.strictObject({
    reason: z.enum(['run_ended', 'stream_severed', 'turn_failed']),
    retryable: z.boolean(),
  }),
});

function chunk({ tool_name }: Profile) {
  const stem = {
    id: z.string(),
    object: z.literal('chat.completion.chunk'),
    created: z.int(),
    model: z.string(),
  };
  const toolCall = z.strictObject({
    index: z.literal(0),
    id: z.string(),
    type: z.literal('function'),
    function: z.strictObject({
      name: z.literal(tool_name),
      arguments: z.string().meta({ contentMediaType: 'application/json' }),
    }),
  });
  const choice = z.strictObject({
    index: z.literal(0),
    delta: z.strictObject({
      role: z.literal('assistant').optional(),
      content: z.string().optional(),
      reasoning: z.string().optional(),
      tool_calls: z.array(toolCall).length(1).optional(),
    }),
    finish_reason: z.enum(['stop', 'tool_calls', 'error']).nullable(),
  });
  return z.union([
    z
      .strictObject({ ...stem, choices: z.array(choice).length(1), error: streamError.optional() })
      .meta({ title: 'A piece of the reply', description: '`error` comes with `finish_reason: error`.' }),
    z
      .strictObject({
        ...stem,
        choices: z.array(choice).length(0),
        session_id: z.string().nullable(),
        usage: usageSchema().nullable(),
      })
      .meta({ title: 'The final chunk', description: 'Comes once, after every response, before `[DONE]`.' }),
  ]);
}

const responses = (profile: Profile) => {
  const names = proofHeaders(profile);
  return {
    Intern: internSchema(),
    InternListResponse: z.strictObject({
      data: z.array(internSchema()),
      has_more: z.boolean(),
      next_cursor: z.string().exactOptional().meta({ description: 'Absent when there is no next page.' }),
    }),
    DeleteInternResponse: z.strictObject({ deleting: z.literal(true) }),
    ProvisionInternResponse: z.strictObject({ provisioning: z.literal(true) }),
    SuspendInternResponse: z.strictObject({ suspended: z.literal(true) }),
    InvokeInternResponse: z.strictObject({ session_id: z.string(), status: z.enum(['started', 'steered']) }),
    SteeredResponse: z.strictObject({ session_id: z.string(), status: z.literal('steered') }),
    ChatCompletionChunk: chunk(profile),
    InternDaemonAccess: z.strictObject({
      origin: z.string().regex(/^https?:\/\/[^/?#]+$/),
      token: z.string(),
    }),
    DaemonRequestSignature: z.union([
      z
        .strictObject({ [names.signature]: base64Schema(), [names.timestamp]: z.string(), [names.user]: z.string() })
        .meta({ title: 'v1 proof' }),
      z
        .strictObject({
          [names.signature]: base64Schema(),
          [names.timestamp]: z.string(),
          [names.user]: z.string(),
          [names.signatureV2]: base64Schema(),
          [names.nonce]: z.string(),
        })
        .meta({ title: 'v1 and v2 proof' }),
    ]),
    ScimGroupMapping: scimMappingSchema(),
    ScimGroupMappingResponse: z.strictObject({ data: scimMappingSchema() }),
    ScimGroupMappingListResponse: z.strictObject({ data: z.array(scimMappingSchema()), total_count: z.int() }),
    DeleteScimGroupMappingResponse: z.strictObject({ deleted: z.literal(true) }),
    ScimGroup: scimGroupSchema(),
    ScimGroupListResponse: z.strictObject({ data: z.array(scimGroupSchema()), total_count: z.int() }),
    ScimSyncJob: scimJobSchema(),
    ScimSyncJobResponse: z.strictObject({ data: scimJobSchema() }),
    VaultSecret: vaultSecretSchema(),
    VaultSecretResponse: z.strictObject({ data: vaultSecretSchema() }),
    VaultSecretCopyResponse: z.strictObject({ data: z.array(vaultSecretSchema()) }),
    VaultSecretListResponse: z.strictObject({
      data: z.array(vaultSecretSchema()),
      has_more: z.boolean(),
    }),
  };
};

export type RequestSchema = keyof ReturnType<typeof requests>;
export type ResponseSchema = keyof ReturnType<typeof responses>;

export const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** JSON Schemas of a set of zod schemas that refer to each other as components. */
export function components(schemas: Readonly<Record<string, Z.ZodType>>, io: 'input' | 'output') {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const made = z.toJSONSchema(registry, { io, uri: (id) => reference(id).$ref, unrepresentable: 'any' });
  const all = Object.fromEntries(
    Object.entries(made.schemas).map(([id, { $schema, $id, id: _, ...schema }]) => [id, schema]),
  );
  // Zod refers to what several of them share as to another document. A document may hold a set of each kind.
  return JSON.parse(
    JSON.stringify(all).replaceAll('__shared#/', '__shared/').replaceAll('__shared', `shared_${io}`),
  ) as typeof all;
}

/** The bodies of requests and answers as components, with the names of a profile. */
export const bodyComponents = (profile: Profile): Record<string, object> => ({
  ...components(requests(profile), 'input'),
  ...components(responses(profile), 'output'),
});
