import { createSseParser } from '../probe/sse.js';

/** A chunk of a chat stream, as far as drift looks at it. */
export interface Chunk {
  readonly [key: string]: unknown;
  readonly choices?: readonly {
    readonly delta?: {
      readonly role?: string;
      readonly content?: string | null;
      readonly reasoning?: string | null;
      readonly tool_calls?: readonly { readonly id?: string; readonly function?: { readonly arguments?: string } }[];
    };
    readonly finish_reason?: string | null;
  }[];
  readonly error?: {
    readonly code?: number;
    readonly metadata?: { readonly reason?: string; readonly retryable?: boolean };
  };
  readonly session_id?: string | null;
  readonly usage?: unknown;
}

/** An event of a stream by what it tells, and the chunk that told it. */
export interface StreamEvent {
  readonly kind: string;
  readonly chunk?: Chunk;
}

/** The data of the events of a stream's text. */
export function dataOf(text: string): string[] {
  const items = createSseParser().push(Buffer.from(text), 0);
  return items.flatMap((item) => (item.kind === 'event' ? [item.data] : []));
}

function parsed(data: string): Chunk | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === 'object' && value !== null ? (value as Chunk) : undefined;
  } catch {
    return undefined;
  }
}

/** What a tool call asks, in a few words. */
function question(call: string): string {
  const { kind = 'of no kind' } = (parsed(call) ?? {}) as { kind?: unknown };
  return `question (${String(kind)})`;
}

/** What one event tells: a chunk may tell several things at once. */
function kindsOf(data: string): StreamEvent[] {
  if (data === '[DONE]') return [{ kind: 'done' }];
  const chunk = parsed(data);
  if (!chunk) return [{ kind: 'data that is no JSON' }];
  const [choice] = chunk.choices ?? [];
  const kinds: string[] = [];
  if (chunk.choices?.length === 0)
    kinds.push(chunk.usage === null || chunk.usage === undefined ? 'final chunk' : 'final chunk with usage');
  const delta = choice?.delta ?? {};
  if (delta.role !== undefined) kinds.push('opening');
  if (delta.reasoning) kinds.push('reasoning');
  if (delta.content) kinds.push('content');
  for (const call of delta.tool_calls ?? []) kinds.push(question(call.function?.arguments ?? ''));
  if (choice?.finish_reason) kinds.push(`finish ${choice.finish_reason}`);
  if (chunk.error) {
    const { code, metadata } = chunk.error;
    kinds.push(`error ${code} ${metadata?.reason ?? 'without a reason'}${metadata?.retryable ? ', retryable' : ''}`);
  }
  return kinds.map((kind) => ({ kind, chunk }));
}

/** The events of a stream, repeats of a kind joined but for questions, which are one each; comments are none. */
export function eventsOf(text: string): StreamEvent[] {
  const all = dataOf(text).flatMap(kindsOf);
  return all.filter(({ kind }, index) => kind !== all[index - 1]?.kind || kind.startsWith('question'));
}

/** What the intern did, rather than the service: on a deployment another run may do otherwise. */
export const ofTheIntern = (kind: string): boolean => /^(reasoning|content|question|finish|error)/.test(kind);

/** The kind of an event without what the intern had to do with it. */
export const ofTheService = (kind: string): string => kind.replace(/ with usage$/, '');
