import type { StreamChunk } from '../../contract/chat.js';
import { jsonOf } from '../../contract/nesting.js';
import { createSseReader } from './sse.js';

/** A piece of a chat stream: a text, or a mark that says what else it is. */
export type Piece =
  | { kind: 'content' | 'reasoning' | 'other'; text: string }
  | { kind: 'mark'; text: string; tone: 'ask' | 'bad' | 'quiet' | '' };

const mark = (text: string, tone: 'ask' | 'bad' | 'quiet' | '' = ''): Piece => ({ kind: 'mark', text, tone });

function piecesOf(data: string): Piece[] {
  if (data === '[DONE]') return [mark(data)];
  const chunk = jsonOf(data) as StreamChunk | null | undefined;
  if (typeof chunk !== 'object' || chunk === null) return [{ kind: 'other', text: data }];
  const choice = chunk.choices?.[0];
  if (!choice) return [mark(`session_id${chunk.usage ? ', usage' : ''}`)];
  const pieces: Piece[] = [];
  const { content, reasoning, tool_calls: calls } = choice.delta ?? {};
  if (reasoning) pieces.push({ kind: 'reasoning', text: reasoning });
  if (content) pieces.push({ kind: 'content', text: content });
  // A question whose arguments are no JSON is shown as it came.
  for (const call of calls ?? [])
    pieces.push(
      call.id && jsonOf(call.function?.arguments ?? '') !== undefined
        ? mark(call.function?.name ?? '', 'ask')
        : { kind: 'other', text: data },
    );
  const { finish_reason: end } = choice;
  if (end) {
    const { code, metadata } = chunk.error ?? {};
    pieces.push(
      mark(`finish: ${end}${metadata?.reason ? ` (${code} ${metadata.reason})` : ''}`, end === 'error' ? 'bad' : ''),
    );
  }
  return pieces;
}

/** Reads a chat stream write by write. The result is what became whole with a write. */
export function createStreamReader(): (text: string) => Piece[] {
  let pieces: Piece[] = [];
  const reader = createSseReader(
    ({ data }) => void pieces.push(...piecesOf(data)),
    () => void pieces.push(mark(': keepalive', 'quiet')),
  );
  return (text) => {
    pieces = [];
    reader.push(text);
    return pieces;
  };
}
