import { DISTURBANCE_NAMES, disturbanceOf, WRITE } from './disturbance.js';
import { durationSchema } from './duration.js';
import { type Called, DISTURBED_ONLY, OPERATIONS } from './operation.js';
import { type Infer, withZod } from './with-zod.js';

/** The operations whose calls name no intern. */
const OF_NO_INTERN: ReadonlySet<string> = new Set(['list', 'create', 'scim']);
const STREAMED: ReadonlySet<unknown> = new Set(['mid-event', 'before-done']);

interface Given {
  readonly operation: Called;
  readonly disturb?: (typeof DISTURBANCE_NAMES)[number] | undefined;
  readonly nth?: number | undefined;
  readonly write?: string | undefined;
  readonly state?: string | undefined;
}

/** The place and the words of a mistake in the disturbance of a fault. */
function wrongDisturbance(fault: Given & Readonly<Record<string, unknown>>): [string, string] | undefined {
  const { disturb, operation, write, state } = fault;
  if (disturb === undefined) {
    for (const key of ['nth', 'write', 'state'])
      if (fault[key] !== undefined) return [key, 'only a fault with "disturb" has it'];
    return DISTURBED_ONLY.some((name) => name === operation)
      ? ['operation', `only a fault with "disturb" happens to ${operation}`]
      : undefined;
  }
  for (const key of ['status', 'delay', 'disconnect', 'reset', 'at'])
    if (fault[key] !== undefined) return [key, 'a disturbance says all that happens; give one of the two'];
  const { on, at } = disturbanceOf(disturb);
  if (on !== undefined && !on.some((name) => name === operation))
    return ['operation', `${disturb} happens to ${on.join(', ')} alone`];
  if (at === 'write' && write === undefined) return ['write', `${disturb} happens at a write: say which`];
  if (at !== 'write' && write !== undefined) return ['write', `${disturb} happens at no write`];
  if (at !== 'question' && state !== undefined) return ['state', `${disturb} happens to no question`];
  return undefined;
}

/** A fault for calls of an operation (SPACE-3): body of `POST /_emulator/faults`, entry of a chaos profile. */
export const faultSchema = withZod((z) =>
  z
    .strictObject({
      operation: z.enum([...OPERATIONS, ...DISTURBED_ONLY]),
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
      /** A disturbance by its name (EXP-3): it happens to calls as they come, before anything is looked at. */
      disturb: z.enum(DISTURBANCE_NAMES).optional(),
      /** Of a disturbance: which call meets it, from 1; prompts and answers are counted apart. */
      nth: z.int().min(1).max(1_000_000).optional(),
      /** Of a disturbance of a stream: where. */
      write: z
        .string()
        .regex(
          WRITE,
          'expected first, content:n, tool-arguments:n, before-finish, before-final, before-done or after-done',
        )
        .optional(),
      /** Of a disturbance of a question: once it was asked, or as its answer arrives. */
      state: z.enum(['asked', 'answer-sent']).optional(),
    })
    .superRefine((fault, context) => {
      const wrong = wrongDisturbance(fault);
      if (wrong) context.addIssue({ code: 'custom', path: [wrong[0]], message: wrong[1] });
    })
    .refine((fault) => fault.at === undefined || fault.operation === 'create', {
      path: ['at'],
      message: 'only create fails at a step',
    })
    .refine((fault) => fault.at === undefined || (fault.disconnect ?? fault.status) === undefined, {
      path: ['at'],
      message: 'a fault with "at" answers 502: it takes no "status" and no "disconnect"',
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
        fault.at !== undefined ||
        fault.disturb !== undefined,
      { message: 'expected one of status, delay, disconnect, at, disturb' },
    ),
);
export type Fault = Infer<typeof faultSchema>;

/** Faults that belong together, as a file named by `--chaos` holds them. */
export const chaosSchema = withZod((z) =>
  z.strictObject({
    $schema: z.string().optional(),
    /** Of a schedule that `explore` has saved. */
    format: z.literal(2).optional(),
    name: z.string().optional(),
    faults: z.array(faultSchema()).max(1_000),
    /** The ground of the verdict of that schedule; an emulator has no use for it. */
    explore: z.record(z.string(), z.unknown()).optional(),
  }),
);

/** The effects of a fault on a call, as the journal shows them. */
export type Injected = Partial<
  Pick<Fault, 'status' | 'delay' | 'disconnect' | 'reset' | 'at' | 'disturb' | 'write' | 'state'>
>;

/**
 * How a fault drops the connection: before the first byte, within an event of the stream, or after the finish chunk and
 * before `[DONE]`. The last two apply to streams only.
 */
export type Disconnect = 'before-headers' | 'mid-event' | 'before-done';
