import { DAEMON_REQUEST } from '../contract/operation.js';
import type { JournalDraft, JournalObserver, Observed } from './journal-entry.js';
import { traceIn } from './journal-renderer.js';
import { BASE } from './route.js';

/** A line of the log: one for each request when it is answered, and one for each turn that a stream takes (SEE-1). */
export interface RequestRecord {
  /** When it happened, ISO 8601. */
  time: string;
  method: string;
  path: string;
  /** Null if the connection was dropped instead. */
  status: number | null;
  /** Since the request came, on the emulator's clock. */
  ms: number;
  caller: string | null;
  /** The intern's id. */
  intern: string | null;
  script: string | null;
  /** For a refusal: what exactly was wrong, even if the response may not say it. */
  wrong: string | null;
  /** The trace of a request with a valid `traceparent`. */
  trace_id?: string;
  /** Only for streams: each that opens or resumes also pauses or ends. */
  stream?: 'opened' | 'paused' | 'resumed' | 'ended';
  /** How it ended: `stop`, `client left`, `dropped by a fault` and so on. */
  how?: string;
}

export interface RequestLogDeps {
  readonly journal: Observed;
  redact(text: string): string;
  /** The name of an intern. */
  nameOf(internId: string): string | undefined;
  write: OnRequest;
}

/** Takes a line of the log, and the name of its intern. */
export type OnRequest = (record: RequestRecord, internName?: string) => void;

const COLLECTION = `${BASE}/interns`;

/** Path and query of a URL. Parsing it would cost more, for every request. */
export const pathOf = (url: string): string => url.slice(url.indexOf('/', url.indexOf('://') + 3));

function turnOf({ closed }: JournalDraft): { stream: 'paused' | 'ended'; how?: string } {
  if (!closed) return { stream: 'ended' };
  const { how, ended } = closed;
  if (how === 'client_left') return { stream: 'ended', how: `client left${ended ? `, run ${ended}` : ''}` };
  if (how === 'dropped') return { stream: 'ended', how: 'dropped by a fault' };
  return ended ? { stream: 'ended', how: ended } : { stream: 'paused' };
}

/** Whether a path consists only of a known pattern and the id of a visible intern: it then holds no credential. */
const isKnownPath = ({ internId, operation }: JournalDraft, path: string): boolean =>
  path === COLLECTION || (internId !== undefined && operation !== DAEMON_REQUEST && !path.includes('?'));

/** Most refusals that are printed. One more line says that there are others. */
const REPORTED = 20;

/** Reports each mistake of refused requests once, but no injected refusals. */
export function warnOfRefusals(
  journal: Observed,
  redact: (text: string) => string,
  warn: (message: string) => void,
): void {
  const reported = new Set<string>();
  journal.observe({
    responded({ method, url, status, refused, injected }) {
      if (!refused || injected || reported.size > REPORTED) return;
      const line = `${method} ${redact(pathOf(url))} was refused with ${status ?? 'no answer'}: ${redact(refused.wrong)}`;
      if (reported.has(line)) return;
      reported.add(line);
      warn(
        reported.size > REPORTED
          ? 'further refusals are not printed here: GET /_emulator/journal?status=4xx lists them'
          : line,
      );
    },
  });
}

/** Reports each request that goes through a journal. It costs nothing if nobody listens. */
export function logRequests({ journal, redact, nameOf, write }: RequestLogDeps): void {
  const tell = (draft: JournalDraft, at: number, turn?: Pick<RequestRecord, 'stream' | 'how'>) =>
    write(
      turn ? { ...recordOf(draft, at), ...turn } : recordOf(draft, at),
      draft.internId === undefined ? undefined : nameOf(draft.internId),
    );
  let last = Number.NaN;
  let text = '';
  /** Cached: many requests come in one millisecond, and making the text costs more than the rest of a record. */
  const textOf = (at: number): string => {
    if (at !== last) text = new Date(at).toISOString();
    last = at;
    return text;
  };
  const recordOf = (draft: JournalDraft, at: number): RequestRecord => {
    const path = pathOf(draft.url);
    const trace = traceIn(draft, redact);
    return {
      time: textOf(at),
      method: draft.method,
      path: isKnownPath(draft, path) ? path : redact(path),
      status: draft.status ?? null,
      ms: at - draft.at,
      caller: draft.caller ?? null,
      intern: draft.internId ?? null,
      script: draft.run?.script ?? null,
      wrong: draft.refused ? redact(draft.refused.wrong) : (draft.responseHeaders['x-emulator-detail'] ?? null),
      ...(trace && { trace_id: trace.trace_id }),
    };
  };
  const observer: JournalObserver = {
    responded(draft) {
      const at = draft.respondedAt ?? draft.at;
      if (draft.writes === undefined) return tell(draft, at);
      tell(draft, at, { stream: draft.run?.resumed ? 'resumed' : 'opened' });
      // All of it was ready at once.
      if (draft.closed) tell(draft, at, turnOf(draft));
    },
    closed(draft) {
      if (draft.respondedAt !== undefined) tell(draft, draft.closed?.at ?? draft.at, turnOf(draft));
    },
  };
  journal.observe(observer);
}
