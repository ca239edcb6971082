import { ERRORS, type ErrorKey, envelope } from '../contract/errors.js';
import { askArguments } from '../contract/interaction.js';
import type { Profile } from '../contract/profile.js';
import type { RunEnd, RunEvent, Usage } from '../contract/run.js';
import { DONE, frame, lineJson, linesJson } from './frame.js';
import type { Frames } from './frames.js';

export interface ChunkOptions {
  /** The completion id, the same on every chunk of a response. */
  readonly id: string;
  /** Unix time in seconds. */
  readonly created: number;
  readonly sessionId: string;
  /** The model reported before this response; null if none was. */
  readonly model: string | null;
  readonly profile: Pick<Profile, 'tool_name' | 'model_placeholder'>;
}

/** What a run's events become on the wire, as text. */
export interface Encoder {
  /** The first chunk: the role. */
  open(): string;
  /** Adds the chunks of one event; for the one that ends the response, up to and with the finish chunk. */
  event(event: RunEvent, frames: Frames): void;
  /** The final chunk with the session, and `[DONE]`; empty until the event that ends the response was encoded. */
  final(): string;
}

/** The rest of a chunk after its delta's value, unless it ends the response. */
const UNFINISHED = '},"finish_reason":null}]}\n\n';

/** The error of an ending in the stream (CHAT-12, CHAT-13, CHAT-16). */
const ENDINGS: Readonly<Record<Exclude<RunEnd['ended'], 'stop'>, ErrorKey>> = {
  cancelled: 'run_ended',
  deadline: 'run_ended',
  severed: 'stream_severed',
  failed: 'turn_failed',
};

/**
 * Encodes the events of a run as chat completion chunks (CHAT-1 to CHAT-5, CHAT-12, CHAT-13). The part of a chunk
 * before its delta is the same for all of them until the model changes, and is made once.
 */
export function createEncoder(options: ChunkOptions): Encoder {
  const { profile } = options;
  const upTo = (model: string) =>
    `{"id":${lineJson(options.id)},"object":"chat.completion.chunk","created":${options.created},"model":${lineJson(model)},"choices":[`;
  let model = options.model ?? profile.model_placeholder;
  // In one piece, here and below: a concatenated text is walked in its parts each time, and takes more memory.
  const deltaOf = () => ['data: ', upTo(model), '{"index":0,"delta":'].join('');
  let delta = deltaOf();
  let betweenTexts: string | undefined;
  let closing: { head: string; usage: Usage | null } | undefined;

  const choice = (head: string, deltaJson: string, finish: string) =>
    `${head}{"index":0,"delta":${deltaJson},"finish_reason":${finish}}]`;

  const ending = (event: RunEnd): string => {
    if (event.ended === 'stop') {
      closing = { head: upTo(model), usage: event.usage };
      return frame(`${choice(closing.head, '{}', '"stop"')}}`);
    }
    const key = ENDINGS[event.ended];
    // The intern reports a failed turn. The other endings are the service's own words, which carry no model.
    const by = upTo(event.ended === 'failed' ? model : profile.model_placeholder);
    closing = { head: by, usage: event.usage };
    const { error } = envelope(key, event.message);
    const retryable = event.ended === 'failed' ? event.retryable : (ERRORS[key] as { retryable: boolean }).retryable;
    const reported = { ...error, ...(error.metadata && { metadata: { ...error.metadata, retryable } }) };
    return frame(`${choice(by, '{}', '"error"')},"error":${lineJson(reported)}}`);
  };

  return {
    open: () => `${delta}{"role":"assistant","content":""${UNFINISHED}`,
    event(event, frames) {
      switch (event.type) {
        case 'content':
          if (event.texts.length > 1) betweenTexts ??= ['"', UNFINISHED, delta, '{"content":"'].join('');
          frames.add(`${delta}{"content":"`);
          frames.addJoined(linesJson(event.texts), betweenTexts ?? '');
          return frames.add(`"${UNFINISHED}`);
        case 'reasoning':
          return frames.add(`${delta}{"reasoning":${lineJson(event.text)}${UNFINISHED}`);
        case 'model':
          model = event.model;
          delta = deltaOf();
          betweenTexts = undefined;
          return;
        case 'ask': {
          const head = upTo(model);
          closing = { head, usage: null };
          const call = `{"index":0,"id":${lineJson(event.id)},"type":"function","function":{"name":${lineJson(
            profile.tool_name,
          )},"arguments":${lineJson(askArguments(event.ask))}}}`;
          return frames.add(
            `${delta}{"tool_calls":[${call}]${UNFINISHED}${frame(`${choice(head, '{}', '"tool_calls"')}}`)}`,
          );
        }
        case 'end':
          return frames.add(ending(event));
      }
    },
    final() {
      if (!closing) return '';
      const session = lineJson(options.sessionId);
      return `${frame(`${closing.head}],"session_id":${session},"usage":${lineJson(closing.usage)}}`)}${DONE}`;
    },
  };
}
