import { Refusal } from '../contract/errors.js';
import { rowIdOf, type SessionRow } from '../contract/state.js';
import type { Collection } from '../store/store.js';

/**
 * The sessions that invoke issued, with their callers: the newest 10,000. Only these are kept. Chat accepts any
 * session of the intern, and starts one under an unknown id (CHAT-15), so a stored chat session would change no
 * answer.
 */
export function createSessions(rows: Collection<SessionRow>) {
  return {
    /** Throws 404 unless invoke issued the session to this caller on this intern (INVOKE-3). */
    owned(internId: string, sessionId: string, callerId: string): void {
      const row = rows.get(rowIdOf(internId, sessionId));
      if (row?.caller !== callerId) throw new Refusal('session_not_found');
    },
    issue(internId: string, sessionId: string, callerId: string): void {
      const id = rowIdOf(internId, sessionId);
      if (rows.has(id)) return;
      rows.put({ id, intern_id: internId, session_id: sessionId, caller: callerId });
    },
    /** Deletes the sessions of a deleted intern. */
    forget(internId: string): void {
      for (const row of [...rows.values()]) if (row.intern_id === internId) rows.delete(row.id);
    },
  };
}
