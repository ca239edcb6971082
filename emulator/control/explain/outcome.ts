import type { JournalEntry } from '../../contract/journal-entry.js';
import type { Operation } from '../../contract/operation.js';
import type { RunEnded } from '../../contract/run.js';
import { bodyOf } from './facts.js';

/** The requirement that states what an operation does, and the page about it. */
export const OF_OPERATION: Readonly<Record<Operation, { requirement: string; page: string }>> = {
  list: { requirement: 'LIST-1', page: 'docs/lifecycle-api.md#list' },
  create: { requirement: 'CREATE-1', page: 'docs/lifecycle-api.md#create' },
  get: { requirement: 'GET-1', page: 'docs/lifecycle-api.md#the-intern' },
  update: { requirement: 'UPDATE-1', page: 'docs/lifecycle-api.md#change' },
  delete: { requirement: 'DELETE-1', page: 'docs/lifecycle-api.md#delete' },
  provision: { requirement: 'PROV-1', page: 'docs/lifecycle-api.md#boot-and-suspend' },
  suspend: { requirement: 'SUSP-1', page: 'docs/lifecycle-api.md#boot-and-suspend' },
  chat: { requirement: 'CHAT-1', page: 'docs/chat-api.md' },
  invoke: { requirement: 'INVOKE-1', page: 'docs/chat-api.md#steer-or-start-without-reading' },
  daemon: { requirement: 'DAEMON-1', page: 'docs/proofs.md' },
  sign: { requirement: 'SIGN-1', page: 'docs/proofs.md#asking-for-one' },
  scim: { requirement: 'SCIM-1', page: 'docs/lifecycle-api.md#scim' },
  'vault-list': { requirement: 'VAULT-5', page: 'docs/lifecycle-api.md#vault' },
  'vault-store': { requirement: 'VAULT-3', page: 'docs/lifecycle-api.md#vault' },
  'vault-delete': { requirement: 'VAULT-6', page: 'docs/lifecycle-api.md#vault' },
  'vault-copy': { requirement: 'VAULT-7', page: 'docs/lifecycle-api.md#vault' },
};

/** The advice on a fault that somebody put there. */
export const AFTER_FAULT =
  'Nothing has to change in the request. A client tries again what is retryable, with the same idempotency key, and reports the rest. DELETE /_emulator/faults takes the faults back.';

/** The bad ends of a run: the requirement, the meaning, and advice for the client. */
export const BAD_ENDS: Readonly<Record<Exclude<RunEnded, 'stop'>, { requirement: string; what: string; do: string }>> =
  {
    cancelled: {
      requirement: 'CHAT-12',
      what: 'the run was cancelled: finish_reason error, code 410, reason run_ended',
      do: 'Show the user that the run ended, and send a new prompt. Suspending or deleting an intern ends its runs.',
    },
    deadline: {
      requirement: 'CHAT-12',
      what: 'a deadline passed: finish_reason error, code 410, reason run_ended',
      do: 'Answer a question within its deadline, 5 minutes by default; rejected answers do not extend it. Send a new prompt.',
    },
    severed: {
      requirement: 'CHAT-13',
      what: 'the connection to the intern broke: finish_reason error, reason stream_severed',
      do: 'The run may have done part of its work. Tell the user, and send a new prompt if they want it.',
    },
    failed: {
      requirement: 'CHAT-2',
      what: 'the turn failed: finish_reason error, code 502, reason turn_failed',
      do: 'Show the message of the error to the user, and keep what had been said. The script of the run made it fail.',
    },
  };

export const CLIENT_LEFT = {
  requirement: 'CHAT-10',
  what: 'the client closed the connection while the response was still streaming, which cancels the run',
  do: 'Read the stream through data: [DONE] before closing. After the [DONE] that follows tool_calls, closing is safe.',
  page: 'docs/chat-api.md#how-it-ends-badly',
} as const;

/** The next step after a right answer. */
export function noteOf({ operation, response, writes, closed }: JournalEntry): string | undefined {
  if (operation === 'chat' && response.status === 202)
    return 'The session had a run going: the prompt was delivered into it, and this answer is no stream. Read the stream of that run (CHAT-14).';
  if (operation === 'invoke' && response.status === 202)
    return 'The run goes on without this request: nothing about its progress comes back (INVOKE-7).';
  if (writes && closed?.how === 'complete' && closed.run_ended === undefined)
    return 'The intern asks: the run waits for an answer.';
  if (operation === 'list' && bodyOf(response)?.has_more === true)
    return 'The list goes on: send its next_cursor as starting_after, until has_more is false (LIST-3).';
  return undefined;
}
