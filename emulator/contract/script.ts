import type * as z from 'zod';
import { parseDuration } from './duration.js';
import { type Ask, askSchema } from './interaction.js';
import { normalizeHost, secretNameSchema } from './vault.js';
import { type Infer, withZod } from './with-zod.js';

const DURATION = 'expected milliseconds, or a duration such as "20ms", "45s", "5m", "1h"';

/** Milliseconds, or text such as `20ms`, `45s`, `5m`, `1h`. Stays as written until the script is compiled. */
const duration = withZod((z) =>
  z
    .union([z.int().min(0), z.string().regex(/^\d+(\.\d+)?(ms|s|m|h)$/, { error: DURATION, abort: true })], {
      error: DURATION,
    })
    .refine(
      (value) => {
        try {
          return parseDuration(value) >= 0;
        } catch {
          return false;
        }
      },
      { error: 'expected a whole number of milliseconds' },
    )
    .meta({ description: 'Milliseconds, or a number with ms, s, m or h' }),
);

export const durationMs = (value: Infer<typeof duration>): number => parseDuration(value);

export const usageSchema = withZod((z) =>
  z.strictObject({
    prompt_tokens: z.int().min(0),
    completion_tokens: z.int().min(0),
    total_tokens: z.int().min(0),
    prompt_tokens_details: z.strictObject({ cached_tokens: z.int().min(0).exactOptional() }).exactOptional(),
    cost: z.number().min(0).exactOptional(),
  }),
);

type Duration = Infer<typeof duration>;

export type Step =
  | { reason: string }
  | { say: string; every?: Duration | undefined; chunks?: number | undefined }
  | { ask: Ask; as?: string | undefined }
  | { when: Record<string, z.core.util.JSONType>; then?: Step[] | undefined; else?: Step[] | undefined }
  | { release: string; to: string; as?: string | undefined; vault?: 'workspace' | undefined }
  | { wait: Duration }
  | { usage: Infer<typeof usageSchema> }
  | { model: string }
  | {
      end: 'stop' | 'cancelled' | 'deadline' | 'severed' | 'failed' | 'never';
      retryable?: boolean | undefined;
      message?: string | undefined;
    };

const steps: () => z.ZodType<Step[]> = withZod((z) => z.lazy(() => z.array(step())));

/** The field that only one kind of step has, which tells the kinds apart. */
export const STEP_NAMES = ['reason', 'say', 'ask', 'release', 'when', 'wait', 'usage', 'model', 'end'] as const;
type StepName = (typeof STEP_NAMES)[number];

const stepKinds = withZod(
  (z) =>
    ({
      reason: z.strictObject({ reason: z.string() }).meta({ description: 'Thinks: streamed as reasoning' }),
      say: z
        .strictObject({ say: z.string(), every: duration().optional(), chunks: z.int().min(1).max(10_000).optional() })
        .meta({ description: 'Says a text, in `chunks` pieces, `every` apart' }),
      ask: z
        .strictObject({ ask: askSchema(), as: z.string().min(1).optional() })
        .meta({ description: 'Asks for permission or an answer, which `when` calls by the name `as`' }),
      release: z
        .strictObject({
          release: secretNameSchema(),
          to: z.string().refine((to) => normalizeHost(to) !== undefined, 'expected a host, such as api.example.com'),
          as: z.string().min(1).optional(),
          vault: z.literal('workspace').optional(),
        })
        .meta({
          description:
            'Asks its vault for a secret for a host, and says the verdict: `released`, `refused: host` or `refused: missing`. ' +
            'With `vault: workspace` it asks that of its workspace, which releases nothing to it, and says nothing. ' +
            '`when` calls the verdict by the name `as`, or else by that of the secret',
        }),
      when: z
        .strictObject({
          when: z.record(z.string(), z.json()),
          // biome-ignore lint/suspicious/noThenProperty: the name of the branch in the published script format
          then: steps().optional(),
          else: steps().optional(),
        })
        .meta({ description: 'Branches by answers: an option, an action, a verdict, or some of the content' }),
      wait: z.strictObject({ wait: duration() }).meta({ description: 'Does nothing for a while' }),
      usage: z
        .strictObject({ usage: usageSchema() })
        .meta({ description: 'Reports its use of tokens; the last report counts' }),
      model: z.strictObject({ model: z.string().min(1) }).meta({ description: 'Reports another model from here on' }),
      end: z
        .strictObject({
          end: z.enum(['stop', 'cancelled', 'deadline', 'severed', 'failed', 'never']),
          retryable: z.boolean().optional(),
          message: z.string().optional(),
        })
        .meta({ description: 'Ends the run; `retryable` and `message` belong to `failed`' }),
    }) satisfies Record<StepName, z.ZodType<Step>>,
);

/** Any step. The order is that of STEP_NAMES: messages for a refused union rely on it. */
const step = withZod((z) => z.union(STEP_NAMES.map((name): z.ZodType<Step> => stepKinds()[name])));

const onceOrOk = withZod((z) => z.enum(['ok', 'fails_once']));

const lifecycle = withZod((z) =>
  z.strictObject({
    boot: z
      .strictObject({
        after: duration().optional(),
        steps: z.array(z.string().min(1)).min(1).optional(),
        ends: z.enum(['running', 'failed', 'hangs']).optional(),
        message: z.string().optional(),
      })
      .optional(),
    teardown: z
      .strictObject({
        after: duration().optional(),
        ends: z.enum(['gone', 'workspace_archive_failed', 'hangs']).optional(),
      })
      .optional(),
    vault: onceOrOk().optional(),
    provisioner: onceOrOk().optional(),
    daemon: z.enum(['reachable', 'unreachable']).optional(),
  }),
);

/** Names of scripts: one word, so that the first line of a prompt can carry them. */
export const scriptNameSchema = withZod((z) =>
  z
    .string()
    .max(64)
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'expected letters, digits, dots, underscores and hyphens, without spaces'),
);

export const scriptSchema = withZod((z) =>
  z
    .strictObject({
      $schema: z.string().optional(),
      name: scriptNameSchema(),
      description: z.string().optional(),
      turn: steps().optional(),
      lifecycle: lifecycle().optional(),
    })
    .meta({ title: 'intern-emulator script', description: 'How an emulated intern behaves' }),
);
export type Script = Infer<typeof scriptSchema>;
