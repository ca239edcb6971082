import { jsonOf } from '../../contract/nesting.js';
import { createSseReader } from './sse.js';
import type { Ask, Usage } from './types.js';

/** The pieces of a chat stream. Times are ISO 8601, as the journal has them. */
export type Piece =
  | { kind: 'content' | 'reasoning'; at: string; text: string }
  | { kind: 'ask'; at: string; id: string; tool: string; ask: Ask }
  | { kind: 'finish'; at: string; reason: string; error?: { code: number; message: string; reason?: string } }
  | { kind: 'final'; at: string; sessionId: string | null; usage: Usage | null }
  | { kind: 'done' | 'keepalive'; at: string }
  /** An event that is not a chat completion chunk. */
  | { kind: 'other'; at: string; text: string };

interface Chunk {
  choices?: {
    delta?: {
      content?: string | null;
      reasoning?: string | null;
      tool_calls?: { id?: string; function?: { name?: string; arguments?: string } }[];
    };
    finish_reason?: string | null;
  }[];
  error?: { code?: number; message?: string; metadata?: { reason?: string } };
  session_id?: string | null;
  usage?: Usage | null;
}

function piecesOf(data: string, at: string): Piece[] {
  if (data === '[DONE]') return [{ kind: 'done', at }];
  const chunk = jsonOf(data) as Chunk | null | undefined;
  if (typeof chunk !== 'object' || chunk === null) return [{ kind: 'other', at, text: data }];
  const choice = chunk.choices?.[0];
  if (!choice) return [{ kind: 'final', at, sessionId: chunk.session_id ?? null, usage: chunk.usage ?? null }];
  const pieces: Piece[] = [];
  const { content, reasoning, tool_calls: calls } = choice.delta ?? {};
  if (reasoning) pieces.push({ kind: 'reasoning', at, text: reasoning });
  if (content) pieces.push({ kind: 'content', at, text: content });
  for (const call of calls ?? []) {
    const ask = jsonOf(call.function?.arguments ?? '') as Ask | undefined;
    if (ask && call.id) pieces.push({ kind: 'ask', at, id: call.id, tool: call.function?.name ?? '', ask });
    else pieces.push({ kind: 'other', at, text: data });
  }
  if (choice.finish_reason) {
    const { error } = chunk;
    pieces.push({
      kind: 'finish',
      at,
      reason: choice.finish_reason,
      ...(error && {
        error: {
          code: error.code ?? 0,
          message: error.message ?? '',
          ...(error.metadata?.reason === undefined ? {} : { reason: error.metadata.reason }),
        },
      }),
    });
  }
  return pieces;
}

/** Reads a chat stream write by write; `push` returns the pieces that became whole with it. */
export function createStreamReader() {
  let at = '';
  let pieces: Piece[] = [];
  const reader = createSseReader(
    ({ data }) => void pieces.push(...piecesOf(data, at)),
    () => void pieces.push({ kind: 'keepalive', at }),
  );
  return {
    push(write: { at: string; text: string }): Piece[] {
      at = write.at;
      pieces = [];
      reader.push(write.text);
      return pieces;
    },
  };
}
