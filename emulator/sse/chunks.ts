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

/** The rest of a chunk after its delta's value, unless it ends the response. */
const UNFINISHED = '},"finish_reason":null}]}\n\n';

/** The error of an ending in the stream (CHAT-12, CHAT-13, CHAT-16). */
const ENDINGS: Readonly<Record<Exclude<RunEnd['ended'], 'stop'>, ErrorKey>> = {
  cancelled: 'run_ended',
  deadline: 'run_ended',
  severed: 'stream_severed',
  failed: 'turn_failed',
};

const choice = (head: string, deltaJson: string, finish: string) =>
  `${head}{"index":0,"delta":${deltaJson},"finish_reason":${finish}}]`;

/**
 * Encodes the events of a run as chat completion chunks (CHAT-1 to CHAT-5, CHAT-12, CHAT-13). The part of a chunk
 * before its delta is the same for all of them until the model changes, and is made once. A class, since thousands of
 * streams may wait at once.
 */
export class Encoder {
  private model: string;
  /** The part of a chunk before its delta. */
  private delta: string;
  /** The text between two that are said together. */
  private between: string | undefined;
  private closing: { head: string; usage: Usage | null } | undefined;

  constructor(private readonly options: ChunkOptions) {
    this.model = options.model ?? options.profile.model_placeholder;
    this.delta = this.deltaOf(this.model);
  }

  private upTo(model: string): string {
    const { id, created } = this.options;
    return `{"id":${lineJson(id)},"object":"chat.completion.chunk","created":${created},"model":${lineJson(model)},"choices":[`;
  }

  /** In one piece: a concatenated text is walked in its parts each time, and takes more memory. */
  private deltaOf(model: string): string {
    return ['data: ', this.upTo(model), '{"index":0,"delta":'].join('');
  }

  private ending(event: RunEnd): string {
    if (event.ended === 'stop') {
      const head = this.upTo(this.model);
      this.closing = { head, usage: event.usage };
      return frame(`${choice(head, '{}', '"stop"')}}`);
    }
    const key = ENDINGS[event.ended];
    // The intern reports a failed turn. The other endings are the service's own words, which carry no model.
    const head = this.upTo(event.ended === 'failed' ? this.model : this.options.profile.model_placeholder);
    this.closing = { head, usage: event.usage };
    const { error } = envelope(key, event.message);
    const retryable = event.ended === 'failed' ? event.retryable : (ERRORS[key].retryable ?? false);
    const reported = { ...error, ...(error.metadata && { metadata: { ...error.metadata, retryable } }) };
    return frame(`${choice(head, '{}', '"error"')},"error":${lineJson(reported)}}`);
  }

  /** The first chunk: the role. */
  open(): string {
    return `${this.delta}{"role":"assistant","content":""${UNFINISHED}`;
  }

  /** Adds the chunks of one event; for the one that ends the response, up to and with the finish chunk. */
  event(event: RunEvent, frames: Frames): void {
    const { delta } = this;
    switch (event.type) {
      case 'content':
        if (event.texts.length > 1) this.between ??= ['"', UNFINISHED, delta, '{"content":"'].join('');
        frames.add(`${delta}{"content":"`);
        frames.addJoined(linesJson(event.texts), this.between ?? '');
        frames.add(`"${UNFINISHED}`);
        return;
      case 'reasoning':
        frames.add(`${delta}{"reasoning":${lineJson(event.text)}${UNFINISHED}`);
        return;
      case 'model':
        this.model = event.model;
        this.delta = this.deltaOf(event.model);
        this.between = undefined;
        return;
      case 'ask': {
        const head = this.upTo(this.model);
        this.closing = { head, usage: null };
        const call = `{"index":0,"id":${lineJson(event.id)},"type":"function","function":{"name":${lineJson(
          this.options.profile.tool_name,
        )},"arguments":${lineJson(askArguments(event.ask))}}}`;
        frames.add(`${delta}{"tool_calls":[${call}]${UNFINISHED}${frame(`${choice(head, '{}', '"tool_calls"')}}`)}`);
        return;
      }
      case 'end':
        frames.add(this.ending(event));
    }
  }

  /** The final chunk with the session, and `[DONE]`; empty until the event that ends the response was encoded. */
  final(): string {
    if (!this.closing) return '';
    const session = lineJson(this.options.sessionId);
    const { head, usage } = this.closing;
    return `${frame(`${head}],"session_id":${session},"usage":${lineJson(usage)}}`)}${DONE}`;
  }
}
