import type { JudgeTraffic } from '../contract/checks.js';
import type { Journal } from './journal.js';
import type { JournalDraft } from './journal-entry.js';

/** Notes of each exchange that ended which rules it kept and broke. Observers that come later see it noted. */
export function judgeExchanges(journal: Pick<Journal, 'observe' | 'view'>, begin: () => JudgeTraffic): void {
  let judge = begin();
  const ended = (draft: JournalDraft) => {
    draft.judged = judge(journal.view(draft));
  };
  journal.observe({
    responded(draft) {
      if (draft.writes === undefined || draft.closed !== undefined) ended(draft);
    },
    closed(draft) {
      if (draft.respondedAt !== undefined) ended(draft);
    },
    cleared() {
      judge = begin();
    },
  });
}
