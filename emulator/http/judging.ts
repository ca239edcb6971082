import type { JudgeTraffic } from '../contract/checks.js';
import type { Shield } from '../contract/journal-entry.js';
import type { Journal } from './journal.js';
import type { JournalDraft } from './journal-entry.js';

const NOT_JUDGED: Shield = { verdict: 'not_judged', rules: [], broken: [] };

/** Tells of each exchange once its answer, or its stream, came to an end; and when all are forgotten. */
export function observeEnds(
  journal: Pick<Journal, 'observe'>,
  { ended, cleared }: { ended(draft: JournalDraft): void; cleared(): void },
): void {
  journal.observe({
    responded(draft) {
      if (draft.writes === undefined || draft.closed !== undefined) ended(draft);
    },
    closed(draft) {
      if (draft.respondedAt !== undefined) ended(draft);
    },
    cleared,
  });
}

/**
 * Notes of each exchange that ended which rules it kept and broke, but of those that a disturbance changed on their way. What a
 * disturbance did beside them is not known: the judge begins anew. Observers that come later see it noted.
 */
export function judgeExchanges(journal: Pick<Journal, 'observe' | 'view'>, begin: () => JudgeTraffic): void {
  let judge = begin();
  observeEnds(journal, {
    ended(draft) {
      draft.judged = draft.injected?.disturb === undefined ? judge(journal.view(draft)) : NOT_JUDGED;
    },
    cleared() {
      judge = begin();
    },
  });
  journal.observe({
    disturbed(draft) {
      if (draft.judged !== undefined) draft.judged = NOT_JUDGED;
      judge = begin();
    },
  });
}
