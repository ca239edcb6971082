import { type Infer, withZod } from './with-zod.js';

/**
 * The longest time that a setting may name, in ms: a hundred years. A deadline that far ahead still has a timestamp.
 */
const LONGEST = 3_155_760_000_000;

export const DEFAULT_SETTINGS = {
  keepalive: 30_000,
  interaction_deadline: 300_000,
  execution_deadline: 3_600_000,
  proof_window: 60_000,
  turns_per_minute: 60,
  max_waiting_runs: 64,
  signing_timeout: 10_000,
  pace: 0,
  vault_writes: 'on' as 'on' | 'off',
  scim_sync: 'succeeds' as 'succeeds' | 'fails',
};

/** Settings that a flag, a variable, a config file or the control interface may change. Times in ms. */
export const settingsSchema = withZod((z) => {
  const duration = z.int().min(1).max(LONGEST);
  return z.strictObject({
    /** A chat stream carries `: keepalive` whenever nothing else was written for this long (CHAT-11). */
    keepalive: duration.default(DEFAULT_SETTINGS.keepalive),
    /** How long a question stays open (CHAT-7). */
    interaction_deadline: duration.default(DEFAULT_SETTINGS.interaction_deadline),
    /** How long a run started by invoke may take (INVOKE-5). */
    execution_deadline: duration.default(DEFAULT_SETTINGS.execution_deadline),
    /** Age up to which a daemon accepts a proof (SIGN-7). */
    proof_window: duration.default(DEFAULT_SETTINGS.proof_window),
    /** Chat turns per minute and caller; 0 for no limit (CHAT-17). */
    turns_per_minute: z.int().min(0).default(DEFAULT_SETTINGS.turns_per_minute),
    /** How many waiting chat questions one intern may have before the next prompt is refused (CHAT-16). */
    max_waiting_runs: z.int().min(1).default(DEFAULT_SETTINGS.max_waiting_runs),
    /** The time limit of signing (SIGN-9). */
    signing_timeout: duration.default(DEFAULT_SETTINGS.signing_timeout),
    /** Between two words of what is said in one piece, as a model says it; 0 says it at once (WEB-2). */
    pace: z.int().min(0).max(LONGEST).default(DEFAULT_SETTINGS.pace),
    /** Whether secrets can be stored, deleted and copied (VAULT-8). */
    vault_writes: z.enum(['on', 'off']).default(DEFAULT_SETTINGS.vault_writes),
    /** How the next directory sync ends; `fails` is spent by it (SCIM-7). */
    scim_sync: z.enum(['succeeds', 'fails']).default(DEFAULT_SETTINGS.scim_sync),
  });
});
export type Settings = Infer<typeof settingsSchema>;
