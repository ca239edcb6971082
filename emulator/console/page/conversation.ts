import { byTime } from './format.js';
import { type RequestRow, TALKS } from './requests.js';
import type { Ask, Line, Run, Usage } from './types.js';

/** A run as a person reads it from top to bottom. `request` is the id of the request it came with. */
export type Item =
  | { kind: 'prompt' | 'steer'; at: string; text: string; request: RequestRow | undefined }
  | { kind: 'content' | 'reasoning'; at: string; text: string }
  | { kind: 'ask'; at: string; id: string; ask: Ask; answer: unknown }
  | { kind: 'answer'; at: string; answer: unknown; request: RequestRow | undefined }
  | { kind: 'mark'; at: string; tone: 'calm' | 'warn' | 'bad'; text: string; request: RequestRow | undefined };

/** A run as a conversation, or a request that was refused and started none. */
export interface Conversation {
  key: string;
  at: string;
  run: Run | undefined;
  /** The script that the run follows, as far as its requests are known. */
  script: string | undefined;
  items: Item[];
  usage: Usage | null;
  /** The request whose response streams it just now. */
  streaming: RequestRow | undefined;
  /** No line is known: they are not read yet, or no longer kept. */
  silent: boolean;
}

const ENDED: Readonly<Record<string, string>> = {
  cancelled: 'The run was cancelled',
  deadline: 'The run was cancelled: its deadline passed',
  severed: 'The connection to the intern broke: the stream was severed',
  failed: 'The run failed',
};

/** How the connection of a request ended, if it did not end well. */
function leftOf(request: RequestRow): Item | undefined {
  const text =
    request.stream === 'client_left'
      ? `${request.caller ?? 'The client'} disconnected while this streamed`
      : request.stream === 'dropped'
        ? 'An injected fault dropped the connection'
        : undefined;
  return text === undefined || request.closedAt === undefined
    ? undefined
    : { kind: 'mark', at: request.closedAt, tone: 'bad', text, request };
}

/** Puts marks into a conversation by their time, each after everything that was said at the same time. */
function withMarks(items: readonly Item[], marks: readonly Item[]): Item[] {
  const all = [...items];
  for (const mark of marks) {
    const after = all.findLastIndex((item) => item.at <= mark.at && !isEnd(item));
    all.splice(after + 1, 0, mark);
  }
  return all;
}
const isEnd = (item: Item): boolean => item.kind === 'mark' && item.request === undefined;

const MESSAGES = new Set(['prompt', 'steer', 'answer']);

/**
 * The request of each message, in order. If older messages or requests are no longer kept, the lists are matched from their
 * ends.
 */
function requestsOf(lines: readonly Line[], requests: readonly RequestRow[]): (RequestRow | undefined)[] {
  const [line] = lines;
  const [request] = requests;
  const whole = line === undefined || request === undefined || (line.n === 0 && request.at <= line.at);
  if (whole) return [...requests];
  const missing = lines.filter(({ type }) => MESSAGES.has(type)).length - requests.length;
  return missing > 0 ? [...Array.from({ length: missing }, () => undefined), ...requests] : requests.slice(-missing);
}

/** The items of one run: neighbouring texts become one, and an item that came with a request names it. */
function itemsOf(lines: readonly Line[], requests: readonly RequestRow[]): { items: Item[]; usage: Usage | null } {
  const items: Item[] = [];
  const rest = requestsOf(lines, requests);
  let usage: Usage | null = null;
  const answers = new Map(lines.flatMap((line) => (line.type === 'answer' ? [[line.id, line.answer] as const] : [])));
  for (const line of lines) {
    const last = items.at(-1);
    if (line.type === 'content' || line.type === 'reasoning') {
      if (last?.kind === line.type) items[items.length - 1] = { ...last, text: last.text + line.text };
      else items.push({ kind: line.type, at: line.at, text: line.text });
    } else if (line.type === 'prompt' || line.type === 'steer')
      items.push({ kind: line.type, at: line.at, text: line.text, request: rest.shift() });
    else if (line.type === 'ask')
      items.push({ kind: 'ask', at: line.at, id: line.id, ask: line.ask, answer: answers.get(line.id) });
    else if (line.type === 'answer')
      items.push({ kind: 'answer', at: line.at, answer: line.answer, request: rest.shift() });
    else if (line.type === 'model')
      items.push({ kind: 'mark', at: line.at, tone: 'calm', text: `Now runs ${line.model}`, request: undefined });
    else if (line.type === 'end') {
      usage = line.usage;
      const text = ENDED[line.ended];
      if (text !== undefined)
        items.push({
          kind: 'mark',
          at: line.at,
          tone: 'bad',
          text: line.message ? `${text}: ${line.message}` : text,
          request: undefined,
        });
    }
  }
  return {
    items: withMarks(
      items,
      requests.flatMap((request) => leftOf(request) ?? []),
    ),
    usage,
  };
}

function refusalOf(request: RequestRow): Conversation {
  const { id, at, status, reason, wrong, operation } = request;
  const why = status === null ? 'got no answer' : `was refused with ${status}${reason ? ` ${reason}` : ''}`;
  const text = `${operation === 'invoke' ? 'An invoke' : 'A chat request'} ${why}${wrong ? `: ${wrong}` : ''}`;
  const items: Item[] = [{ kind: 'mark', at, tone: 'warn', text, request }];
  return { key: id, at, run: undefined, script: undefined, items, usage: null, streaming: undefined, silent: false };
}

/**
 * The runs of an intern as conversations, oldest first, with the requests that were refused among them.
 *
 * @param transcripts what was said in each run, as far as it was read
 * @param requests the intern's requests, oldest first
 */
export function conversationsOf(
  runs: readonly Run[],
  transcripts: ReadonlyMap<string, readonly Line[]>,
  requests: readonly RequestRow[],
): Conversation[] {
  const talks = requests.filter(({ operation }) => TALKS.has(operation));
  const conversations = runs.map((run): Conversation => {
    const own = talks.filter(({ runId, status }) => runId === run.id && status !== null && status < 300);
    const lines = transcripts.get(run.id) ?? [];
    const streaming = run.status === 'running' ? own.findLast(({ stream }) => stream === 'open') : undefined;
    return {
      key: run.id,
      at: run.started_at,
      run,
      script: own.find(({ script }) => script !== null)?.script ?? undefined,
      ...itemsOf(lines, own),
      streaming,
      silent: lines.length === 0,
    };
  });
  const refusals = talks.filter(({ status }) => status !== null && status >= 400).map(refusalOf);
  return [...conversations, ...refusals].sort(byTime);
}
