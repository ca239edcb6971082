import * as z from 'zod';

/** The longest time that a setting may name, in ms: a hundred years. What is due then still has a timestamp. */
const LONGEST = 3_155_760_000_000;
const duration = z.int().min(1).max(LONGEST);

/** The numbers of an emulator that a flag, a variable, a config file or the control interface may change. ms, but for the limit. */
export const settingsSchema = z.strictObject({
  /** Whenever nothing else was written for this long, a chat stream carries `: keepalive` (CHAT-11). */
  keepalive: duration.default(30_000),
  /** How long a question stays open (CHAT-7). */
  interaction_deadline: duration.default(300_000),
  /** How long a run started by invoke may take (INVOKE-5). */
  execution_deadline: duration.default(3_600_000),
  /** Age up to which a daemon takes a proof (SIGN-7). */
  proof_window: duration.default(60_000),
  /** Chat turns per minute and caller; 0 is no limit (CHAT-17). */
  turns_per_minute: z.int().min(0).default(60),
  /** How many waiting chat questions one intern may have before the next prompt is refused (CHAT-16). */
  max_waiting_runs: z.int().min(1).default(64),
  /** Time in which signing has to be done (SIGN-9). */
  signing_timeout: duration.default(10_000),
  /** Between two words of what is said in one piece, as a model says it; 0 says it at once (WEB-2). */
  pace: z.int().min(0).max(LONGEST).default(0),
});
export type Settings = z.infer<typeof settingsSchema>;
