import { ERRORS, type ErrorKey, envelope } from '../contract/errors.js';
import { askArguments } from '../contract/interaction.js';
import type { Profile } from '../contract/profile.js';
import type { RunEnd, RunEvent, Usage } from '../contract/run.js';
import { DONE, lineJson, linesJson } from './frame.js';
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

/** The parts of chunks that are the same in every stream, in their order after the {@link Encoder}'s head. */
const DELTA = '{"index":0,"delta":';
const TEXT = `${DELTA}{"content":"`;
/** The rest of a chunk after its delta's value, unless it ends the response. */
const UNFINISHED = '},"finish_reason":null}]}\n\n';
const END_OF_TEXT = `"${UNFINISHED}`;
const ROLE = `${DELTA}{"role":"assistant","content":""${UNFINISHED}`;
const STOP = `${DELTA}{},"finish_reason":"stop"}]}\n\n`;
const TOOL_CALLS = `${DELTA}{},"finish_reason":"tool_calls"}]}\n\n`;
const ERROR = `${DELTA}{},"finish_reason":"error"}],"error":`;

/** The error of an ending in the stream (CHAT-12, CHAT-13, CHAT-16). */
const ENDINGS: Readonly<Record<Exclude<RunEnd['ended'], 'stop'>, ErrorKey>> = {
  cancelled: 'run_ended',
  deadline: 'run_ended',
  severed: 'stream_severed',
  failed: 'turn_failed',
};

/**
 * Encodes the events of a run as chat completion chunks (CHAT-1 to CHAT-5, CHAT-12, CHAT-13). The head of a chunk, before
 * its choices, is the same for all of them until the model changes: it is made once, and kept once. A class, since
 * thousands of streams may wait at once.
 */
export class Encoder {
  private model: string;
  private head: string;
  private closing: { head: string; usage: Usage | null } | undefined;

  constructor(private readonly options: ChunkOptions) {
    this.model = options.model ?? options.profile.model_placeholder;
    this.head = this.headOf(this.model);
  }

  /** In one piece: a concatenated text is walked in its parts each time, and takes more memory. */
  private headOf(model: string): string {
    const { id, created } = this.options;
    const named = `"object":"chat.completion.chunk","created":${created},"model":`;
    return ['data: {"id":', lineJson(id), ',', named, lineJson(model), ',"choices":['].join('');
  }

  private ending(event: RunEnd, frames: Frames): void {
    // The intern reports a failed turn. The other endings are the service's own words, which carry no model.
    const own = event.ended === 'stop' || event.ended === 'failed';
    const head = own ? this.head : this.headOf(this.options.profile.model_placeholder);
    this.closing = { head, usage: event.usage };
    if (event.ended === 'stop') {
      frames.add(head, STOP);
      return;
    }
    const key = ENDINGS[event.ended];
    const { error } = envelope(key, event.message);
    const retryable = event.ended === 'failed' ? event.retryable : (ERRORS[key].retryable ?? false);
    const reported = { ...error, ...(error.metadata && { metadata: { ...error.metadata, retryable } }) };
    frames.add(head, ERROR, lineJson(reported), '}\n\n');
  }

  /** Adds the first chunk: the role. */
  open(frames: Frames): void {
    frames.add(this.head, ROLE);
  }

  /** Adds the chunks of one event; for the one that ends the response, up to and with the finish chunk. */
  event(event: RunEvent, frames: Frames): void {
    const { head } = this;
    switch (event.type) {
      case 'content':
        frames.add(head, TEXT);
        frames.addJoined(linesJson(event.texts), [END_OF_TEXT, head, TEXT]);
        frames.add(END_OF_TEXT);
        return;
      case 'reasoning':
        frames.add(head, `${DELTA}{"reasoning":${lineJson(event.text)}`, UNFINISHED);
        return;
      case 'model':
        this.model = event.model;
        this.head = this.headOf(event.model);
        return;
      case 'ask': {
        this.closing = { head, usage: null };
        const call = `{"index":0,"id":${lineJson(event.id)},"type":"function","function":{"name":${lineJson(
          this.options.profile.tool_name,
        )},"arguments":${lineJson(askArguments(event.ask))}}}`;
        frames.add(head, `${DELTA}{"tool_calls":[${call}]`, UNFINISHED, head, TOOL_CALLS);
        return;
      }
      case 'end':
        this.ending(event, frames);
    }
  }

  /** Whether the event that ends the response was encoded. */
  get ended(): boolean {
    return this.closing !== undefined;
  }

  /** Adds the final chunk with the session, and `[DONE]`, once the response has {@link ended}. */
  final(frames: Frames): void {
    if (!this.closing) return;
    const { head, usage } = this.closing;
    const session = lineJson(this.options.sessionId);
    frames.add(head, `],"session_id":${session},"usage":${lineJson(usage)}}\n\n`, DONE);
  }
}
