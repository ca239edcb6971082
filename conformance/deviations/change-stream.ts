import type { Alterable, Alterations } from './alterations.js';

/** A chunk of a stream as JSON. */
export type Chunk = Record<string, unknown>;
export type Stage = 'open' | 'event' | 'final';
type EncoderOptions = Parameters<Alterable['encoder']>[0];

/** Changes the text of a stream; `begin` is called for each stream, its result for each piece of text. */
export const texts = (begin: (options: EncoderOptions) => (text: string, stage: Stage) => string): Alterations => ({
  encoder: (create) => (options) => {
    const usual = create(options);
    const change = begin(options);
    const changed = (text: string, stage: Stage) => (text === '' ? '' : change(text, stage));
    return {
      open: () => changed(usual.open(), 'open'),
      event: (event) => changed(usual.event(event), 'event'),
      final: () => changed(usual.final(), 'final'),
    };
  },
});

const frames = (text: string): string[] => text.split('\n\n').filter((frame) => frame !== '');

export const write = (chunk: Chunk): string => `data: ${JSON.stringify(chunk)}\n\n`;

/**
 * Changes the chunks of a stream; `begin` is called for each stream, its result for each chunk. Nothing leaves the chunk
 * out, a list puts several in its place.
 */
export const chunks = (
  begin: (options: EncoderOptions) => (chunk: Chunk, stage: Stage) => Chunk | Chunk[] | undefined,
): Alterations =>
  texts((options) => {
    const change = begin(options);
    return (text, stage) =>
      frames(text)
        .map((frame) => {
          const data = frame.slice('data: '.length);
          if (!frame.startsWith('data: {')) return `${frame}\n\n`;
          const changed = change(JSON.parse(data) as Chunk, stage);
          if (changed === undefined) return '';
          return (Array.isArray(changed) ? changed : [changed]).map(write).join('');
        })
        .join('');
  });

interface Choice {
  index: number;
  delta: Record<string, unknown>;
  finish_reason: string | null;
  [field: string]: unknown;
}

export const choiceOf = (chunk: Chunk): Choice | undefined => (chunk.choices as Choice[])[0];

/** Changes the one choice of chunks that have one. */
export const choices = (change: (choice: Choice, chunk: Chunk) => Choice): Alterations =>
  chunks(() => (chunk) => {
    const choice = choiceOf(chunk);
    return choice === undefined ? chunk : { ...chunk, choices: [change(choice, chunk)] };
  });

/** Changes what a choice says. */
export const deltas = (change: (delta: Record<string, unknown>) => Record<string, unknown>): Alterations =>
  choices((choice) => ({ ...choice, delta: change(choice.delta) }));

/** Changes the final chunk. */
export const finals = (
  change: (chunk: Chunk, finish: string | undefined) => Chunk | Chunk[] | undefined,
): Alterations =>
  chunks(() => {
    let finish: string | undefined;
    return (chunk) => {
      const choice = choiceOf(chunk);
      if (choice === undefined) return change(chunk, finish);
      finish = choice.finish_reason ?? finish;
      return chunk;
    };
  });

interface Call {
  index: number;
  id: string;
  type: string;
  function: { name: string; arguments: string };
}

/** Changes the tool call of a question. */
export const calls = (change: (call: Call, chunk: Chunk) => unknown): Alterations =>
  choices((choice, chunk) => {
    const call = (choice.delta.tool_calls as Call[] | undefined)?.[0];
    return call === undefined ? choice : { ...choice, delta: { ...choice.delta, tool_calls: [change(call, chunk)] } };
  });

interface ChunkError {
  code: number;
  message: string;
  metadata: { reason: string; retryable: boolean };
}

/** Changes the chunk that carries an error. */
export const errorChunks = (change: (chunk: Chunk, error: ChunkError) => Chunk | Chunk[] | undefined): Alterations =>
  chunks(() => (chunk) => (chunk.error === undefined ? chunk : change(chunk, chunk.error as ChunkError)));
