import { createClock } from '../clock/clock.js';
import { createRandom } from '../clock/random.js';
import { Scope } from '../clock/scope.js';
import { Refusal } from '../contract/errors.js';
import { blankIntern } from '../contract/intern-row.js';
import { PROFILES } from '../contract/profile.js';
import { type Settings, settingsSchema } from '../contract/settings.js';
import type { InternRow } from '../contract/state.js';
import type { Caller } from '../domain/caller.js';
import { createLimiter } from '../domain/limiter.js';
import { createRuns } from '../domain/runs.js';
import type { Behaviour } from '../scripts/behaviour.js';
import { createScriptRegistry } from '../scripts/registry.js';
import { eventsIn } from '../sse/events.harness.js';
import type { StreamHooks } from '../sse/stream.js';
import { createMemoryStore } from '../store/memory.js';
import { chatRoute } from './chat.js';
import { invokeRoute } from './invoke.js';
import { refusalResponse, toResponse } from './response.js';
import type { Call, Route, StreamFault } from './route.js';

export interface HarnessOptions {
  scripts?: Behaviour[];
  settings?: Partial<Settings>;
  seed?: string;
  clock?: 'virtual' | 'real' | 'auto';
  hooks?: StreamHooks;
}

/** A stream, taken apart. */
export interface ParsedStream {
  text: string;
  bytes: number[];
  chunks: Record<string, unknown>[];
  content: string;
  reasoning: string;
  finish: string | undefined;
  error: { code: number; message: string; metadata: { reason: string; retryable: boolean } } | undefined;
  call: { id: string; arguments: Record<string, unknown> } | undefined;
  sessionId: string | undefined;
  usage: unknown;
  done: boolean;
  keepalives: number;
}

interface Choice {
  delta: { content?: string; reasoning?: string; tool_calls?: { id: string; function: { arguments: string } }[] };
  finish_reason: string | null;
}

/** Takes apart what a stream said so far. */
export function parseStream(text: string, bytes: number[] = []): ParsedStream {
  const { data, comments } = eventsIn(text);
  const chunks = data.filter((json) => json !== '[DONE]').map((json) => JSON.parse(json) as Record<string, unknown>);
  const choices = chunks.flatMap((chunk) => chunk.choices as Choice[]);
  const call = choices.find((choice) => choice.delta.tool_calls)?.delta.tool_calls?.[0];
  const final = chunks.find((chunk) => (chunk.choices as unknown[]).length === 0);
  return {
    text,
    bytes,
    chunks,
    content: choices.map((choice) => choice.delta.content ?? '').join(''),
    reasoning: choices.map((choice) => choice.delta.reasoning ?? '').join(''),
    finish: choices.find((choice) => choice.finish_reason !== null)?.finish_reason ?? undefined,
    error: chunks.find((chunk) => 'error' in chunk)?.error as ParsedStream['error'],
    call: call && { id: call.id, arguments: JSON.parse(call.function.arguments) as Record<string, unknown> },
    sessionId: final?.session_id as string | undefined,
    usage: final?.usage,
    done: data.at(-1) === '[DONE]',
    keepalives: comments.filter((comment) => comment === 'keepalive').length,
  };
}

export interface Listening {
  status: number;
  /** The stream as far as it was read. */
  heard(): ParsedStream;
  /** How many bytes each read brought. */
  writes: number[];
  /** Whether the body has ended, or broken off. */
  over(): 'end' | 'broken' | undefined;
  /** Resolves at the end of the body. */
  end(): Promise<ParsedStream>;
  cancel(): Promise<void>;
}

export function listen(response: Response): Listening {
  const writes: number[] = [];
  let text = '';
  let over: 'end' | 'broken' | undefined;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const reader = response.body?.getReader();
  const reading = (async () => {
    try {
      for (let step = await reader?.read(); step && !step.done; step = await reader?.read()) {
        writes.push(step.value.length);
        text += decoder.decode(step.value, { stream: true });
      }
      over = 'end';
    } catch {
      over = 'broken';
    }
  })();
  return {
    status: response.status,
    heard: () => parseStream(text, writes),
    writes,
    over: () => over,
    async end() {
      await reading;
      return parseStream(text, writes);
    },
    async cancel() {
      await reader?.cancel();
    },
  };
}

interface Extra {
  row?: InternRow;
  fault?: StreamFault;
  signal?: AbortSignal;
}

export type Harness = ReturnType<typeof createHarness>;

/** Chat and invoke on running interns, without the request pipeline, the lifecycle and sockets. */
export function createHarness(options: HarnessOptions = {}) {
  const clock = createClock(options.clock ?? 'virtual');
  const random = createRandom(options.seed ?? 'test');
  const store = createMemoryStore();
  const settings: Settings = { ...settingsSchema().parse({}), turns_per_minute: 0, ...options.settings };
  const log: Record<string, unknown>[] = [];
  const scripts = createScriptRegistry({
    rows: store.collection('scripts'),
    behaviours: options.scripts ?? [],
    log: (record) => void log.push(record),
  });
  const interns = store.collection('interns');
  const state = new Scope();
  const runs = createRuns({
    clock,
    random,
    settings: () => settings,
    store,
    scripts,
    intern: (id) => interns.get(id),
    release: () => 'refused: missing',
    scope: () => state,
    log: (record) => void log.push(record),
  });
  const limiter = createLimiter({ clock, settings: () => settings });
  const { resolveTurn } = scripts;
  const shared = { runs, limiter, clock, random, resolveTurn, settings: () => settings };
  const chat = chatRoute({
    ...shared,
    profile: PROFILES.svc,
  });
  const invoke = invokeRoute(shared);

  const addIntern = (n = 1, change: Partial<InternRow> = {}): InternRow => {
    const id = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
    const blank = blankIntern(id, '2026-01-01T00:00:00.000Z');
    const row: InternRow = {
      ...blank,
      seq: n,
      record: {
        ...blank.record,
        name: `intern-${n}`,
        status: 'running',
        workspace_id: '00000000-0000-4000-8000-0000000000aa',
      },
      creator: 'alice',
      api_key: 'key',
      booted: { model: null, instructions: null },
      ...change,
    };
    interns.put(row);
    return row;
  };
  const intern = addIntern();

  const setStatus = (row: InternRow, status: InternRow['record']['status']) => {
    interns.put({ ...row, record: { ...row.record, status } });
    if (status !== 'running') runs.endAll(row.id, 'suspended');
  };

  const alice: Caller = { id: 'alice', kind: 'api_key', workspaceId: 'w', programme: true };

  const call = async (of: Route, body: unknown, { row = intern, fault, signal }: Extra = {}) => {
    try {
      const input = of.parse({
        bytes: new Uint8Array(),
        query: new URLSearchParams(),
        headers: new Headers(),
        json: () => body,
        secretName: '',
      });
      const made: Call<unknown> = {
        caller: alice,
        intern: row,
        input,
        headers: new Headers(),
        bodiless: false,
        requestId: 'r',
        scimId: '',
        secretName: '',
        signal: signal ?? new AbortController().signal,
        onIntern: () => {},
        onRun() {},
        note: undefined,
        scope: signal ? state.child().follow(signal) : state.child(),
        streams() {},
        watch: options.hooks ?? { onWrite() {}, onClose() {} },
        ...(fault && { streamFault: fault }),
      };
      of.authorize?.(made);
      return toResponse(await of.handle(made));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return toResponse(refusalResponse(error));
    }
  };

  const prompt = (content: unknown, more: Record<string, unknown> = {}, extra?: Extra) =>
    call(chat, { stream: true, messages: [{ role: 'user', content }], ...more }, extra);

  return {
    clock,
    store,
    settings,
    log,
    scripts,
    runs,
    intern,
    addIntern,
    setStatus,
    chat: (body: unknown, extra?: Extra) => call(chat, body, extra),
    prompt,
    /** Sends a prompt for a script, and listens to the reply. */
    say: async (script: string, more?: Record<string, unknown>, extra?: Extra) =>
      listen(await prompt(`script: ${script}\nhello`, more, extra)),
    /** Sends a prompt, and listens to the reply. */
    ask: async (content: string) => listen(await prompt(content)),
    reply: (sessionId: string | undefined, id: string | undefined, content: unknown, extra?: Extra) =>
      call(
        chat,
        {
          stream: true,
          session_id: sessionId,
          messages: [
            { role: 'assistant', content: null, tool_calls: [] },
            { role: 'tool', tool_call_id: id, content },
          ],
        },
        extra,
      ),
    invoke: (body: unknown, extra?: Extra) => call(invoke, body, extra),
    /** The status, the reason and the text of an error, in short. */
    refused: async (response: Response | Promise<Response>) => {
      const settled = await response;
      const body = (await settled.json()) as { error?: { message: string; metadata?: { reason: string } } };
      return {
        status: settled.status,
        reason: body.error?.metadata?.reason,
        message: body.error?.message ?? '',
      };
    },
    /** Fires every timer that is due now. */
    settle: () => clock.advance(0),
  };
}
