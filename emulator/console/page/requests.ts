import { signal } from '@preact/signals';
import { jsonOf } from '../../contract/nesting.js';
import { recordOf } from '../../contract/record.js';
import type { Entry, Verdict } from './types.js';

/** The part of a request that the list shows. Bodies are read again on demand: a page may be open for days. */
export interface RequestRow {
  readonly id: string;
  readonly at: string;
  readonly operation: string | null;
  readonly caller: string | null;
  readonly internId: string | null;
  readonly runId: string | null;
  readonly method: string;
  readonly path: string;
  readonly status: number | null;
  readonly reason: string | undefined;
  readonly stream: 'open' | 'complete' | 'client_left' | 'dropped' | undefined;
  readonly closedAt: string | undefined;
  readonly ms: number | null;
  readonly wrong: string | null;
  /** Of a chat or an invoke: the beginning of what was said, the script that took it, and how its run ended. */
  readonly prompt: string | undefined;
  readonly script: string | null;
  readonly ended: string | undefined;
  /** The verdict of an emulator with `--judge`, once the exchange has ended. */
  readonly judged: Verdict | undefined;
}

/** How many rows the page keeps, and how many it drops at once when there are more. */
const MOST = 2_000;
const DROP = 500;

const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url, 'http://none');
  return pathname + search;
};

/** The reason of a refusal. */
export function reasonOf({ response: { status, body } }: Pick<Entry, 'response'>): string | undefined {
  if (status === null || status < 400 || body === null) return undefined;
  return /"reason":"([a-z_]+)"/.exec(body)?.[1];
}

/** The operations by which a client says something. */
export const TALKS: ReadonlySet<string | null> = new Set(['chat', 'invoke']);
const MOST_SAID = 200;

/** The client's words in a request: its prompt, or its answer to a question. */
export function promptOf({ operation, request }: Pick<Entry, 'operation' | 'request'>): string | undefined {
  if (!TALKS.has(operation) || request.body === null) return undefined;
  const { messages, input } = recordOf(jsonOf(request.body));
  const last = Array.isArray(messages) ? recordOf(messages.at(-1)) : {};
  const said = input ?? last.content;
  if (typeof said !== 'string') return undefined;
  const words = said.replace(/^script:[ \t]*\S+[ \t]*(?:\r?\n)?/, '') || said;
  return `${last.role === 'tool' ? 'answers ' : ''}${words}`.slice(0, MOST_SAID);
}

/** How the part of a run that a request streamed ended. */
function endedOf({ closed, writes }: Entry): string | undefined {
  if (closed === undefined) return undefined;
  if (closed.run_ended !== undefined) return closed.run_ended;
  return writes && closed.how === 'complete' ? 'asks' : undefined;
}

export const rowOf = (entry: Entry): RequestRow => ({
  id: entry.id,
  at: entry.at,
  operation: entry.operation,
  caller: entry.caller,
  internId: entry.intern_id,
  runId: entry.run_id,
  method: entry.request.method,
  path: pathOf(entry.request.url),
  status: entry.response.status,
  reason: reasonOf(entry),
  stream: entry.writes || entry.closed ? (entry.closed?.how ?? 'open') : undefined,
  closedAt: entry.closed?.at,
  ms: entry.ms,
  wrong: entry.wrong,
  prompt: promptOf(entry),
  script: entry.script,
  ended: endedOf(entry),
  judged: entry.judged?.verdict,
});

/** The newest requests, newest last, bounded. A request that changes keeps its place. */
export function createRequests() {
  const rows = signal<readonly RequestRow[]>([]);
  const kept = new Map<string, RequestRow>();
  return {
    rows,
    add(entries: readonly Entry[]) {
      for (const entry of entries) kept.set(entry.id, rowOf(entry));
      if (kept.size > MOST) for (const id of [...kept.keys()].slice(0, kept.size - MOST + DROP)) kept.delete(id);
      rows.value = [...kept.values()];
    },
    clear() {
      kept.clear();
      rows.value = [];
    },
  };
}
