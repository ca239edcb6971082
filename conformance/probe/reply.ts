import { type Broken, brief, Finding, Unmet } from '../framework/assert.js';
import { grammar as unbroken } from '../framework/expect.js';
import type { Host } from '../framework/time.js';
import { createChunkGrammar, type Transcript } from './chunks.js';
import type { Answer, OpenAnswer } from './client.js';
import { GATEWAY } from './gateway.js';
import { createSseParser } from './sse.js';

/** A chat answer that is read in the background, chunk by chunk, as the network delivers it. */
export interface ChatReply {
  readonly status: number;
  readonly headers: Headers;
  /** ms between the request and the head of its answer. */
  readonly headAfter: number;
  /** What the stream has said so far; live. */
  readonly transcript: Transcript;
  /** Raw bytes so far, decoded; for byte-for-byte comparisons. */
  readonly raw: () => string;
  /**
   * Waits until the intern has done something. Where the stream ends or `timeout` (real ms) passes before, that is a
   * finding where a script decides, else an unmet precondition.
   */
  until(what: string, holds: (transcript: Transcript) => boolean, timeout?: number): Promise<Transcript>;
  /** Waits until the service has done what it promises; a finding when the stream ends or `timeout` passes before. */
  promised(what: string, holds: (transcript: Transcript) => boolean, timeout?: number): Promise<Transcript>;
  /** Waits for the end of the body; throws a finding where it does not come within `timeout` (real ms). */
  end(timeout?: number): Promise<Transcript>;
  /** Goes away while the response may be streaming: closes the connection. */
  disconnect(): Promise<void>;
  /** Cancels the body only, as a client does that has read [DONE]. */
  cancel(): Promise<void>;
  /** The body as a whole: for answers that are no stream (errors, the 202 of a steered prompt). */
  whole(): Promise<Answer>;
}

export interface ReplyOptions {
  readonly toolName: string;
  readonly host: Host;
  /** ms of real time. */
  readonly timeout: number;
  /** Whether a script decides what the intern does. */
  readonly scripted: boolean;
  /** What was sent, for findings: `a prompt`. */
  readonly sent: string;
  /** What is known of it where it is refused. */
  refusal?(answer: Answer): Refusal;
  /** Called where the answer is no event stream although one is waited for, or its body stays open after [DONE]. */
  trouble?(): void;
  /** Called once a stream that asked something has ended, with the arguments of its call. */
  asked?(question: string): void;
}

/** What is known of a chat request that was refused. */
export interface Refusal {
  /** Added to what was answered. */
  readonly remark?: string;
  readonly breaks?: Broken;
}

/** A stream of which `what` was waited for in vain. Where it ends against the rules of streams, that is what is wrong. */
function missing(transcript: Transcript, what: string, timeout: number): Finding {
  const { chunks, done, ended, finish = 'none' } = transcript;
  const stream = 'a chat stream';
  if (ended !== undefined) {
    if (ended === 'end') unbroken(transcript, 'S');
    const after = `after ${chunks.length} chunks, finish_reason ${finish}`;
    return new Finding({ what: stream, expected: what, actual: `over before that; it ended (${ended}) ${after}` });
  }
  if (done) return new Finding({ what: stream, expected: 'to end after [DONE]', actual: 'still open' });
  const actual = `silent for ${Math.round(timeout / 1_000)} s; after ${chunks.length} chunks nothing came, not even a keepalive`;
  return new Finding({ what: stream, expected: `${what}, or a keepalive within 30 s`, actual });
}

/** What a prompt meets that the intern, not the service, could not take (CHAT-16). */
export const NOT_TAKEN = 'the intern did not take the prompt';

/** Statuses that say that the intern, not the service, could not do it now (CHAT-16), or that others were quicker. */
const CANNOT = new Set([429, ...GATEWAY]);

/** ms without a byte after which even a silent intern does not explain it: keepalives come each 30 s. */
const KEEPALIVE = 33_000;

const unmet = (did: string, why: string, { content }: Transcript) =>
  new Unmet(did, content === '' ? why : `${why} (it said ${brief(content, 120)})`, 'intern');

/** What an answer that is no stream says, in a word: the reason of an error, the status of a turn, else what it is. */
function gist({ json, headers }: Answer): string {
  const body = (json ?? {}) as { status?: unknown; error?: { metadata?: { reason?: unknown } } };
  const word = body.error?.metadata?.reason ?? body.status;
  return typeof word === 'string' ? word : (headers.get('content-type') ?? 'without content type');
}

/** ms that a body may stay open after [DONE]. */
const CLOSING = 5_000;

export function createReply(open: OpenAnswer, options: ReplyOptions): ChatReply {
  const { host } = options;
  const parser = createSseParser();
  const grammar = createChunkGrammar(options.toolName, options.scripted);
  const { transcript } = grammar;
  const parts: Uint8Array[] = [];
  let waiters: (() => void)[] = [];
  let pumping: Promise<void> | undefined;
  const wake = () => {
    const woken = waiters;
    waiters = [];
    for (const waiter of woken) waiter();
  };

  let heard = host.now();
  const pump = async () => {
    let how = 'end';
    try {
      for (let piece = await open.read(); piece !== undefined; piece = await open.read()) {
        parts.push(piece.bytes);
        heard = host.now();
        for (const item of parser.push(piece.bytes, piece.at)) grammar.take(item);
        wake();
      }
      if (left) how = 'cancelled';
    } catch (error) {
      how = left ? 'cancelled' : error instanceof Finding ? String(error.actual) : String(error);
    }
    grammar.end(parser.end().unfinished, how);
    const [call] = transcript.toolCalls;
    if (call !== undefined) options.asked?.(call.arguments);
    wake();
  };
  let left = false;
  const streams = /text\/event-stream/i.test(open.headers.get('content-type') ?? '');
  if (streams) pumping = pump();

  const wait = async (what: string, holds: () => boolean, timeout: number, promised: boolean) => {
    if (!streams) {
      if (open.status < 300) options.trouble?.();
      const answer = await open.whole();
      if (!options.scripted && CANNOT.has(open.status)) {
        throw new Unmet(NOT_TAKEN, `${open.status} ${brief(answer.text, 200)}`, 'intern');
      }
      const { remark = '', breaks } = options.refusal?.(answer) ?? {};
      throw new Finding({
        what: options.sent,
        expected: 'an event stream (200, text/event-stream)',
        actual: `${open.status} ${gist(answer)}${remark}: ${answer.text.slice(0, 300)}`,
        ...(breaks === undefined ? {} : { breaks }),
      });
    }
    const deadline = host.now() + timeout;
    let done: number | undefined;
    while (!holds()) {
      if (transcript.done) done ??= Math.min(deadline, host.now() + CLOSING);
      const remaining = (done ?? deadline) - host.now();
      if (transcript.ended !== undefined || remaining <= 0) {
        const silentFor = host.now() - heard;
        if (!promised && !transcript.done && transcript.ended === undefined && silentFor < KEEPALIVE) {
          throw unmet('the intern took too long', `${what} did not come within ${timeout / 1000} s`, transcript);
        }
        if (!promised && transcript.ended === 'end' && transcript.done) {
          throw unmet('the run ended before what was waited for', `it was ${what}`, transcript);
        }
        // That an intern says no more is its own affair, as above; that nothing at all comes, or no end, is not.
        if (transcript.ended === undefined) options.trouble?.();
        throw missing(transcript, what, timeout);
      }
      await new Promise<void>((resolve) => {
        const stop = host.later(Math.max(1, remaining), resolve);
        waiters.push(() => {
          stop();
          resolve();
        });
      });
    }
  };

  return {
    status: open.status,
    headers: open.headers,
    headAfter: open.headAfter,
    transcript,
    raw: () => new TextDecoder().decode(Buffer.concat(parts)),
    async until(what, holds, timeout = options.timeout) {
      await wait(what, () => holds(transcript), timeout, options.scripted);
      return transcript;
    },
    async promised(what, holds, timeout = options.timeout) {
      await wait(what, () => holds(transcript), timeout, true);
      return transcript;
    },
    async end(timeout = options.timeout) {
      await wait('the end of the body', () => transcript.ended !== undefined, timeout, options.scripted);
      return transcript;
    },
    async disconnect() {
      left = true;
      await open.close();
      await pumping;
    },
    async cancel() {
      left = true;
      await open.cancel();
      await pumping;
    },
    whole: () => open.whole(),
  };
}
