import { compileLinearRegex } from './linear-regex.js';
import { scriptNameSchema } from './script.js';
import { type Infer, withZod } from './with-zod.js';

/** How many steps the regular expressions of a list may compile to together. */
const MOST_STEPS = 5_000;
/** How much of a prompt a regular expression looks at, in UTF-16 units; `contains` looks at all of it. */
export const LOOKED_AT = 16_384;

/** The steps of a pattern; none if it is invalid, which is an issue of its own. */
const stepsOf = (pattern: string): number => {
  try {
    return compileLinearRegex(pattern).steps;
  } catch {
    return 0;
  }
};

const conditionSchema = withZod((z) =>
  z
    .strictObject({
      contains: z.string().min(1).max(10_000).optional().describe('The prompt contains this text, in the same case'),
      regex: z
        .string()
        .min(1)
        .max(1_000)
        .superRefine((pattern, context) => {
          try {
            compileLinearRegex(pattern);
          } catch (error) {
            context.addIssue({ code: 'custom', message: (error as Error).message });
          }
        })
        .optional()
        .describe(`The first ${LOOKED_AT} characters of the prompt match this regular expression, in RE2's syntax`),
      session: z.string().min(1).max(1_000).optional().describe('The prompt names this session_id'),
      turn: z.int().min(1).max(1_000_000).optional().describe('Which prompt of its session it is, from 1'),
    })
    .refine((when) => Object.values(when).some((value) => value !== undefined), {
      message: 'expected at least one of contains, regex, session, turn',
    }),
);

/** A script for the prompts that meet every condition given. */
export const matchSchema = withZod((z) => z.strictObject({ when: conditionSchema(), script: scriptNameSchema() }));
export type Match = Infer<typeof matchSchema>;

/** Body of `PUT /_emulator/matches`: of several that apply, the first counts. */
export const matchesSchema = withZod((z) =>
  z
    .array(matchSchema())
    .max(200)
    .superRefine((matches, context) => {
      let steps = 0;
      for (const [index, { when }] of matches.entries()) {
        if (when.regex === undefined) continue;
        steps += stepsOf(when.regex);
        if (steps <= MOST_STEPS) continue;
        context.addIssue({
          code: 'custom',
          path: [index, 'when', 'regex'],
          message: `expected regular expressions of at most ${MOST_STEPS} steps together, up to here ${steps}`,
        });
        return;
      }
    }),
);

export interface Prompted {
  readonly prompt: string;
  /** The `session_id` of the request. */
  readonly session: string | undefined;
  /** The number of the prompt in its session, from 1. */
  turn(): number;
}

/** The match that a prompt meets first, with its place in the list. */
export type FindMatch = (given: Prompted) => { readonly script: string; readonly at: number } | undefined;

export function findMatch(matches: readonly Match[]): FindMatch {
  const tests = matches.map(({ when }) => {
    const pattern = when.regex === undefined ? undefined : compileLinearRegex(when.regex);
    return ({ prompt, session, turn }: Prompted): boolean =>
      (when.session === undefined || when.session === session) &&
      (when.turn === undefined || when.turn === turn()) &&
      (when.contains === undefined || prompt.includes(when.contains)) &&
      (pattern === undefined || pattern.test(prompt.slice(0, LOOKED_AT)));
  });
  return (given) => {
    const at = tests.findIndex((meets) => meets(given));
    const script = matches[at]?.script;
    return script === undefined ? undefined : { script, at };
  };
}
