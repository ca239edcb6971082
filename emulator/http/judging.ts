import type { JudgeTraffic } from '../contract/checks.js';
import type { Shield } from '../contract/journal-entry.js';
import type { Journal } from './journal.js';
import type { JournalDraft } from './journal-entry.js';

const NOT_JUDGED: Shield = { verdict: 'not_judged', rules: [], broken: [] };

/** Calls `ended` for each exchange when its answer or stream ends, and `cleared` when the journal forgets all. */
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
 * Notes which rules each ended exchange kept and broke. A disturbed exchange is not judged. The judge begins anew after it,
 * because its effect on the state is unknown. Observers that are added later see the verdict.
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
