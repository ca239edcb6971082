import { durationSchema } from './duration.js';
import { type Infer, withZod } from './with-zod.js';

/** The operations that faults, the journal and the documentation name. */
export const OPERATIONS = [
  'list',
  'create',
  'get',
  'update',
  'delete',
  'provision',
  'suspend',
  'chat',
  'invoke',
  'daemon',
  'sign',
  'scim',
  'vault-list',
  'vault-store',
  'vault-delete',
  'vault-copy',
] as const;
export type Operation = (typeof OPERATIONS)[number];

/** The operations whose calls name no intern. */
const OF_NO_INTERN: ReadonlySet<string> = new Set(['list', 'create', 'scim']);
const STREAMED: ReadonlySet<unknown> = new Set(['mid-event', 'before-done']);

/** What happens to calls of an operation (SPACE-3): body of `POST /_emulator/faults`, entry of a chaos profile. */
export const faultSchema = withZod((z) =>
  z
    .strictObject({
      operation: z.enum(OPERATIONS),
      /** Only calls to this intern. */
      intern_id: z
        .uuid()
        .transform((id) => id.toLowerCase())
        .optional(),
      /** How many of the calls pass first. */
      after: z.int().min(0).max(1_000_000).optional(),
      /** The probability that each later call meets it, from the seeded source. */
      probability: z.number().min(0).max(1).optional(),
      /** How many calls meet it. */
      times: z.union([z.int().min(1).max(1_000_000), z.literal('always')]).default(1),
      status: z
        .union([z.literal(408), z.literal(429), z.literal(500), z.literal(502), z.literal(503), z.literal(504)])
        .optional(),
      delay: durationSchema().optional(),
      /** `true` is `before-headers`; `reset` the same with a reset of the connection. */
      disconnect: z
        .union([z.literal(true), z.enum(['before-headers', 'mid-event', 'before-done', 'reset'])])
        .optional(),
      /** The connection is reset (RST) instead of closed (FIN). */
      reset: z.boolean().optional(),
      at: z.enum(['vault', 'provisioner']).optional(),
    })
    .refine((fault) => fault.at === undefined || fault.operation === 'create', {
      path: ['at'],
      message: 'only create fails at a step',
    })
    .refine((fault) => fault.at === undefined || fault.disconnect === undefined, {
      path: ['disconnect'],
      message: 'a fault with "at" answers 502 and drops no connection',
    })
    .refine((fault) => fault.status === undefined || fault.disconnect === undefined, {
      path: ['disconnect'],
      message: 'a dropped connection has no status; give one of the two',
    })
    .refine((fault) => !STREAMED.has(fault.disconnect) || fault.operation === 'chat', {
      path: ['disconnect'],
      message: 'only chat streams',
    })
    .refine((fault) => fault.reset !== true || fault.disconnect !== undefined, {
      path: ['reset'],
      message: 'a connection can be reset only where "disconnect" drops it',
    })
    .refine((fault) => fault.intern_id === undefined || !OF_NO_INTERN.has(fault.operation), {
      path: ['intern_id'],
      message: 'calls of list, create and scim name no intern',
    })
    .refine(
      (fault) =>
        fault.status !== undefined ||
        fault.delay !== undefined ||
        fault.disconnect !== undefined ||
        fault.at !== undefined,
      { message: 'expected one of status, delay, disconnect, at' },
    ),
);
export type Fault = Infer<typeof faultSchema>;

/** Faults that belong together, as a file named by `--chaos` holds them. */
export const chaosSchema = withZod((z) =>
  z.strictObject({
    $schema: z.string().optional(),
    name: z.string().optional(),
    faults: z.array(faultSchema()).max(1_000),
  }),
);

/** The effects of a fault on a call, as the journal shows them. */
export type Injected = Partial<Pick<Fault, 'status' | 'delay' | 'disconnect' | 'reset' | 'at'>>;

/**
 * How a fault drops the connection: before the first byte, within an event of the stream, or after the finish chunk and
 * before `[DONE]`. The last two apply to streams only.
 */
export type Disconnect = 'before-headers' | 'mid-event' | 'before-done';
