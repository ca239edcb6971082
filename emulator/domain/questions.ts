import { type QuestionRow, rowIdOf } from '../contract/state.js';
import type { Collection } from '../store/store.js';

/**
 * The questions that were asked, each with its session: the newest 10,000. Runs end with the process, and the oldest are
 * forgotten: an answer to one of their questions is still refused as one that comes too late (CHAT-7).
 */
export function createQuestions(rows: Collection<QuestionRow>) {
  return {
    asked(internId: string, sessionId: string, questionId: string): void {
      rows.put({ id: rowIdOf(internId, questionId), intern_id: internId, session_id: sessionId });
    },
    wasAsked: (internId: string, sessionId: string, questionId: string): boolean =>
      rows.get(rowIdOf(internId, questionId))?.session_id === sessionId,
    /** Deletes the questions of a deleted intern. */
    forget(internId: string): void {
      for (const row of [...rows.values()]) if (row.intern_id === internId) rows.delete(row.id);
    },
  };
}
