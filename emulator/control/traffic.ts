import type { Transcripts } from '../domain/transcripts.js';
import type { Journal } from '../http/journal.js';
import type { JournalDraft } from '../http/journal-entry.js';
import type { Events, Pending } from './events.js';

const saidPending = (seq: number, runId: string, line: () => object): Pending => ({
  seq,
  type: 'said',
  data: () => ({ run_id: runId, ...line() }),
});

/** Sends requests, the writes of their streams, and what is said in runs to the listeners. */
export function watchTraffic(events: Pick<Events, 'takes' | 'send'>, journal: Journal, transcripts: Transcripts): void {
  const request = (draft: JournalDraft) => {
    if (events.takes('request')) events.send({ seq: draft.seq, type: 'request', data: () => journal.view(draft) });
  };
  journal.observe({
    responded: request,
    closed: request,
    disturbed(draft) {
      if (draft.respondedAt !== undefined) request(draft);
    },
    wrote(draft, index) {
      if (!events.takes('write')) return;
      events.send({
        seq: draft.writes?.[index]?.seq ?? 0,
        type: 'write',
        data: () => journal.viewWrite(draft, index),
      });
    },
  });
  transcripts.observe((runId, first, count) => {
    for (let n = first; n < first + count && events.takes('said'); n++) {
      const said = transcripts.line(runId, n);
      if (said) events.send(saidPending(said.seq, runId, () => said.line));
    }
  });
}

/** The changes of the traffic after `seq`, up to and including `to`. */
export function pastSince(journal: Journal, transcripts: Transcripts, seq: number, to: number): Pending[] {
  const past: Pending[] = [];
  for (const draft of journal.drafts()) {
    if (draft.seq > seq && draft.seq <= to)
      past.push({ seq: draft.seq, type: 'request', data: () => journal.view(draft) });
    const writes = draft.writes ?? [];
    if ((writes[0]?.seq ?? to) > to || (writes.at(-1)?.seq ?? seq) <= seq) continue;
    for (const [index, write] of writes.entries())
      if (write.seq > seq && write.seq <= to)
        past.push({ seq: write.seq, type: 'write', data: () => journal.viewWrite(draft, index) });
  }
  for (const { seq: own, runId, line } of transcripts.since(seq, to)) past.push(saidPending(own, runId, line));
  return past;
}
