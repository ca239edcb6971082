import type * as z from 'zod';
import { words } from '../contract/problem.js';
import { withZod } from '../contract/with-zod.js';
import type { Behaviour, LifecyclePlan } from './behaviour.js';
import { problemsOf, ScriptInvalid } from './problems.js';

const milliseconds = withZod((z) => z.int().min(0));
const onceOrOk = withZod((z) => z.enum(['ok', 'fails_once']));
const steps = withZod((z) => z.array(z.string().min(1)));

/** The lifecycle of a behaviour in code. A JSON script has its own schema, with defaults and durations as text. */
const lifecycleSchema = withZod((z) =>
  z
    .strictObject({
      boot: z.discriminatedUnion('ends', [
        z.strictObject({
          after: milliseconds(),
          steps: steps(),
          ends: z.enum(['running', 'hangs']),
          message: z.string().optional(),
        }),
        z.strictObject({
          after: milliseconds(),
          steps: steps(),
          ends: z.literal('failed'),
          message: z.string().min(1),
        }),
      ]),
      teardown: z.strictObject({ after: milliseconds(), ends: z.enum(['gone', 'workspace_archive_failed', 'hangs']) }),
      vault: onceOrOk(),
      provisioner: onceOrOk(),
      daemon: z.enum(['reachable', 'unreachable']),
    } satisfies Record<keyof LifecyclePlan, z.ZodType>)
    .partial(),
);

/**
 * Validates the lifecycle of a behaviour in code: a boot or teardown must be complete, and a boot that fails must say
 * why.
 *
 * @throws ScriptInvalid naming the script, and per problem the path and what was expected
 */
export function checkLifecycle({ name, lifecycle }: Behaviour): void {
  if (lifecycle === undefined) return;
  const checked = lifecycleSchema().safeParse(lifecycle, { error: words });
  if (!checked.success) {
    throw new ScriptInvalid(`script ${name}`, problemsOf(checked.error.issues, lifecycle, ['lifecycle']));
  }
}
