import { type Ask, askSchema } from './interaction.js';
import { timestampSchema } from './intern.js';
import type { usageSchema } from './script.js';
import { type Infer, withZod } from './with-zod.js';

/** An intern's report of its use of a model; sent on the final chunk (CHAT-4). */
export type Usage = Infer<typeof usageSchema>;

/** How a run ended, as the control interface shows it. */
export const RUN_ENDS = ['stop', 'cancelled', 'deadline', 'severed', 'failed'] as const;
export type RunEnded = (typeof RUN_ENDS)[number];

/** The call that began a run. It decides whether questions are asked, and which deadline applies. */
export type RunOrigin = 'chat' | 'invoke';

export type ApprovalMode = 'manual' | 'self-drive';

/** A run as `GET /_emulator/runs` shows it. Times are ISO 8601 UTC with milliseconds. */
export const runViewSchema = withZod((z) =>
  z.strictObject({
    id: z.string(),
    intern_id: z.string(),
    session_id: z.string(),
    origin: z.enum(['chat', 'invoke']),
    status: z.enum(['running', 'waiting', 'ended']),
    /** Only while it waits; `ask` is what the tool call carried. */
    question: z.strictObject({ id: z.string(), deadline: timestampSchema(), ask: askSchema() }).exactOptional(),
    ended: z.enum(RUN_ENDS).exactOptional(),
    started_at: timestampSchema(),
    ended_at: timestampSchema().exactOptional(),
  }),
);
export type RunView = Infer<typeof runViewSchema>;

/**
 * The events of a chat run for its reader, oldest first. An `ask` and an `end` are each the last event of a response;
 * what follows an `ask` belongs to the response that answers it.
 */
export type RunEvent =
  /** Texts that were said together, at least one: each is a chunk of its own. */
  | { readonly type: 'content'; readonly texts: readonly string[] }
  | { readonly type: 'reasoning'; readonly text: string }
  /** The intern reports its model: all later events carry it. */
  | { readonly type: 'model'; readonly model: string }
  | { readonly type: 'ask'; readonly id: string; readonly ask: Ask }
  | RunEnd;

export interface RunEnd {
  readonly type: 'end';
  readonly ended: RunEnded;
  readonly usage: Usage | null;
  /** Whether a failure is worth a retry, as the intern says itself. */
  readonly retryable: boolean;
  /** Replaces the message of the error's row. */
  readonly message?: string;
}
