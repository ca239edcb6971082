import type { Scripted, Step } from '../contract/client-case.js';

type Written = Extract<Step, { repeat?: number | undefined }>;

/** One action on a connection. */
export type Move = { readonly bytes: Uint8Array } | Exclude<Step, Written>;

const isWritten = (step: Step): step is Written => 'write' in step || 'write_base64' in step;
const bytesOf = (step: Written): Uint8Array =>
  'write' in step ? Buffer.from(step.write) : Buffer.from(step.write_base64, 'base64');

/**
 * The moves of a list of steps. Without `cuts` each write is as in the case. With them, the body is joined and divided
 * anew at these offsets, and waits and the end stay at their byte. `scale` keeps that share of repeated writes.
 */
export function movesOf(steps: readonly Step[], cuts?: readonly number[], scale = 1): Move[] {
  const moves: Move[] = [];
  for (const step of steps) {
    if (!isWritten(step)) moves.push(step);
    else {
      const bytes = bytesOf(step);
      const times = step.repeat === undefined ? 1 : Math.max(1, Math.round(step.repeat * scale));
      for (let n = 0; n < times; n++) moves.push({ bytes });
    }
  }
  return cuts === undefined ? moves : cutAt(moves, cuts);
}

function cutAt(moves: readonly Move[], cuts: readonly number[]): Move[] {
  const body = joined(moves);
  const wanted = [...new Set(cuts)].filter((at) => at > 0 && at < body.length).sort((a, b) => a - b);
  const result: Move[] = [];
  let from = 0;
  let next = 0;
  const until = (end: number) => {
    for (; (wanted[next] ?? Number.POSITIVE_INFINITY) <= end; next++) {
      const at = wanted[next] ?? end;
      if (at > from) result.push({ bytes: body.subarray(from, at) });
      from = Math.max(from, at);
    }
    if (end > from) result.push({ bytes: body.subarray(from, end) });
    from = Math.max(from, end);
  };
  let at = 0;
  for (const move of moves) {
    if ('bytes' in move) at += move.bytes.length;
    else {
      until(at);
      result.push(move);
    }
  }
  until(body.length);
  return result;
}

export const joined = (moves: readonly Move[]): Uint8Array =>
  moves.length === 1 && moves[0] !== undefined && 'bytes' in moves[0]
    ? moves[0].bytes
    : Buffer.concat(moves.flatMap((move) => ('bytes' in move ? [move.bytes] : [])));

export const bodyOf = (exchange: Scripted, scale = 1): Uint8Array => joined(movesOf(exchange.steps, undefined, scale));
