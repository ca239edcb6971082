import type * as Z from 'zod';
import { isRecord } from './record.js';
import { type Infer, withZod } from './with-zod.js';

/**
 * Questions of an intern through the input tool, and their answers (CHAT-5, CHAT-6). The shapes are published: they
 * are the `arguments` of the streamed tool call, except for a question's `fallback`, which never leaves the intern.
 */
export const PERMISSION_OPTIONS = ['allow_once', 'allow_always', 'reject_once', 'reject_always'] as const;
export type PermissionOption = (typeof PERMISSION_OPTIONS)[number];

const field = withZod((z) =>
  z.strictObject({
    name: z.string().min(1),
    type: z.enum(['string', 'number', 'integer', 'boolean']).optional(),
    required: z.boolean().optional(),
    options: z
      .array(z.union([z.string(), z.number(), z.boolean()]))
      .min(1)
      .optional(),
    label: z.string().optional(),
  }),
);
export type QuestionField = Infer<typeof field>;

export const questionAnswerSchema = withZod((z) =>
  z.strictObject({
    action: z.enum(['accept', 'decline', 'cancel']),
    content: (z.record(z.string(), z.json()) as Z.ZodType<Record<string, unknown>>).optional(),
  }),
);
export type QuestionAnswer = Infer<typeof questionAnswerSchema>;

/** Asks for permission to use an approval-bearing tool: asked under `manual`, consented to by itself otherwise (CHAT-8). */
const permission = withZod((z) =>
  z.strictObject({
    kind: z.literal('permission'),
    operation: z.string(),
    options: z.array(z.enum(PERMISSION_OPTIONS)).min(1),
  }),
);
export type PermissionAsk = Infer<typeof permission>;

/** Asks the caller something: always asked in chat, answered by `fallback` under invoke (INVOKE-4). */
const question = withZod((z) =>
  z
    .strictObject({
      kind: z.literal('elicitation'),
      message: z.string(),
      fields: z.array(field()),
      fallback: questionAnswerSchema()
        .optional()
        .meta({ description: 'What a run started by invoke answers by itself' }),
    })
    .superRefine((ask, context) => {
      const problem = ask.fallback && questionProblem(ask, ask.fallback);
      if (problem) context.addIssue({ code: 'custom', path: ['fallback'], message: problem });
    }),
);
export type QuestionAsk = Infer<typeof question>;

export const askSchema = withZod((z) => z.discriminatedUnion('kind', [permission(), question()]));
export type Ask = PermissionAsk | QuestionAsk;

/** The result of an ask: the chosen option or `cancel`, or the answer to a question. */
export type AskResult = PermissionOption | 'cancel' | QuestionAnswer;

const ACTIONS: readonly unknown[] = ['accept', 'decline', 'cancel'];

const hasType = (value: unknown, type: QuestionField['type']): boolean => {
  if (type === undefined) return true;
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
};

/** Says what is wrong with a question's answer, or nothing if it is acceptable. */
export function questionProblem(ask: QuestionAsk, answer: unknown): string | undefined {
  if (!isRecord(answer)) return 'expected an object {action, content?}';
  if (!ACTIONS.includes(answer.action)) return 'action: expected accept, decline or cancel';
  if (answer.action !== 'accept') return undefined;
  const content = answer.content ?? {};
  if (!isRecord(content)) return 'content: expected an object of field values';
  for (const field of ask.fields) {
    // Guards against inherited properties: a field named like one was not answered.
    const value = Object.hasOwn(content, field.name) ? content[field.name] : undefined;
    if (value === undefined) {
      if (field.required) return `content.${field.name}: required`;
      continue;
    }
    if (!hasType(value, field.type)) return `content.${field.name}: expected ${field.type}`;
    if (field.options && !field.options.some((option) => option === value)) {
      return `content.${field.name}: expected one of ${JSON.stringify(field.options)}`;
    }
  }
  return undefined;
}

export type ReadAnswer = { answer: AskResult } | { problem: string };

/** Validates the `content` of a `tool` message against what was asked (CHAT-6). */
export function readAnswer(ask: Ask, content: string): ReadAnswer {
  if (ask.kind === 'permission') {
    const offered: readonly string[] = [...ask.options, 'cancel'];
    if (!offered.includes(content)) return { problem: `expected one of ${offered.join(', ')}` };
    return { answer: content as PermissionOption | 'cancel' };
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(content);
  } catch {
    return { problem: 'expected a JSON object {action, content?}' };
  }
  const problem = questionProblem(ask, parsed);
  return problem === undefined ? { answer: parsed as QuestionAnswer } : { problem };
}

/** The part of an ask that leaves the intern: published fields only, in the published order. */
export const publishedAsk = (ask: Ask): Ask =>
  ask.kind === 'permission'
    ? { kind: ask.kind, operation: ask.operation, options: ask.options }
    : { kind: ask.kind, message: ask.message, fields: ask.fields };

/** The `arguments` of the tool call that carries an ask. */
export const askArguments = (ask: Ask): string => JSON.stringify(publishedAsk(ask));
