import type * as Z from 'zod';
import type { LongText } from '../../emulator/contract/client-case.js';
import { loadZod } from '../../emulator/contract/with-zod.js';

const z = loadZod();

/** The result of a client in a run: the line of an adapter, read liberally (LAB-9). Further keys are ignored. */
const long = z.union([z.string(), z.object({ sha256: z.string(), length: z.number() })]);

const event = z.object({
  event: z.string().nullish(),
  data: long.nullish(),
  id: z.string().nullish(),
});

const chat = z.object({
  content: long.nullish(),
  reasoning: long.nullish(),
  tool_calls: z
    .array(z.object({ id: z.string().nullish(), name: z.string().nullish(), arguments: long.nullish() }))
    .nullish(),
  finish_reason: z.string().nullish(),
  usage: z.record(z.string(), z.unknown()).nullish(),
  session_id: z.string().nullish(),
});

export const answerSchema = z.object({
  outcome: z.enum(['complete', 'error', 'aborted']),
  events: z.array(event).nullish(),
  chat: chat.nullish(),
  status: z.number().nullish(),
  error: z
    .object({
      message: z.string().nullish(),
      status: z.number().nullish(),
      code: z.union([z.string(), z.number()]).nullish(),
    })
    .nullish(),
});

/** The result of a client in a case. */
export type ClientAnswer = Z.infer<typeof answerSchema>;
export type AnsweredEvent = Z.infer<typeof event>;
export type AnsweredChat = Z.infer<typeof chat>;
export type AnsweredLong = LongText | null | undefined;
