import { type Blame, Finding, type StreamGot } from '../model/finding.js';
import { byTheIntern } from '../model/skip.js';
import { type Answer, isStream, type OpenAnswer, said } from '../probe/answer.js';
import { createChunkGrammar, type Transcript } from '../probe/chunks.js';
import { GATEWAY } from '../probe/gateway.js';
import { createSseParser } from '../probe/sse.js';
import type { Host } from '../probe/time.js';
import * as expect from './expect.js';

interface ReplyOptions {
  readonly toolName: string;
  readonly host: Host;
  /** ms of real time. */
  readonly timeout: number;
  /** Whether a script decides what the intern does. */
  readonly scripted: boolean;
  /** The name of the request in findings: `a prompt`. */
  readonly sent: string;
  /** The blame for a refusal. */
  refusal?(answer: Answer): Blame;
  /** Called if the answer is not an event stream although one is expected, or if its body stays open after [DONE]. */
  trouble?(): void;
  /** Called if an open stream stays silent. */
  silent?(nothingCame: boolean): void;
  /** Called once a stream has ended. */
  ended?(transcript: Transcript): void;
}

/** The finding for a stream in which `awaited` never came. If its end breaks the rules of streams, that is the finding. */
function missing(transcript: Transcript, awaited: string, timeout: number): Finding {
  const { done, ended, exchange } = transcript;
  if (ended === 'end') expect.grammar(transcript, 'S');
  const silent = ended === undefined && !done ? { silent: timeout } : {};
  const got: StreamGot = { ...expect.streamed(transcript), ...silent };
  // "then `data: [DONE]`, then the end of the body."
  const stays = done && ended === undefined;
  return new Finding({
    wanted: { kind: 'stream', rule: 'until', awaited },
    got,
    of: 'a chat stream',
    exchange,
    ...(stays ? { breaks: { requirement: 'CHAT-3', level: 'S' } } : {}),
  });
}

/** Statuses by which the intern, not the service, could not do it now (CHAT-16), or others were quicker. */
const CANNOT = new Set([429, ...GATEWAY]);

/** ms without a byte that even a silent intern does not explain: keepalives come every 30 s. */
const KEEPALIVE = 33_000;

/** ms that a body may stay open after [DONE]. */
const CLOSING = 5_000;

/** A chat answer that is read in the background as it arrives. */
export function createReply(open: OpenAnswer, options: ReplyOptions) {
  const { host } = options;
  const parser = createSseParser();
  const grammar = createChunkGrammar(options.toolName, { scripted: options.scripted, exchange: open.exchange });
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
      how = left ? 'cancelled' : said(error);
    }
    grammar.end(parser.end().unfinished, how);
    options.ended?.(transcript);
    wake();
  };
  let left = false;
  const streams = isStream(open);
  if (streams) pumping = pump();

  const wait = async (what: string, holds: () => boolean, timeout: number, promised: boolean) => {
    if (!streams) {
      if (open.status < 300) options.trouble?.();
      const answer = await open.whole();
      const got = expect.seen(answer);
      if (!options.scripted && CANNOT.has(open.status)) throw byTheIntern({ kind: 'prompt-not-taken', got });
      const wanted = { kind: 'status', class: 'stream', statuses: [] } as const;
      throw new Finding({ wanted, got, of: options.sent, exchange: open.exchange, ...options.refusal?.(answer) });
    }
    const deadline = host.now() + timeout;
    let done: number | undefined;
    while (!holds()) {
      if (transcript.done) done ??= Math.min(deadline, host.now() + CLOSING);
      const remaining = (done ?? deadline) - host.now();
      if (transcript.ended !== undefined || remaining <= 0) {
        const silentFor = host.now() - heard;
        if (!promised && !transcript.done && transcript.ended === undefined && silentFor < KEEPALIVE) {
          throw byTheIntern({ kind: 'took-too-long', awaited: what, ms: timeout, said: transcript.content });
        }
        if (!promised && transcript.ended === 'end' && transcript.done) {
          throw byTheIntern({ kind: 'ended-before', awaited: what, said: transcript.content });
        }
        // An intern may say no more. But silence without a keepalive, or a missing end, is a fault of the service.
        if (transcript.ended === undefined) {
          if (!transcript.done) options.silent?.(parts.length === 0);
          options.trouble?.();
        }
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
    /** ms from the request until its answer began. */
    headAfter: open.headAfter,
    /** The content of the stream so far; it grows. */
    transcript,
    /** Raw bytes so far, decoded; for byte-for-byte comparisons. */
    raw: () => new TextDecoder().decode(Buffer.concat(parts)),
    /**
     * Waits until the intern has done something. If the stream ends, or `timeout` (real ms) passes first, that is a
     * finding if a script decides, else a skip.
     */
    async until(what: string, holds: (transcript: Transcript) => boolean, timeout = options.timeout) {
      await wait(what, () => holds(transcript), timeout, options.scripted);
      return transcript;
    },
    /** Waits until the service has done what it promises; a finding if the stream ends or `timeout` passes before. */
    async promised(what: string, holds: (transcript: Transcript) => boolean, timeout = options.timeout) {
      await wait(what, () => holds(transcript), timeout, true);
      return transcript;
    },
    /** Waits for the end of the body; throws a finding if it does not come within `timeout` (real ms). */
    async end(timeout = options.timeout) {
      await wait('the end of the body', () => transcript.ended !== undefined, timeout, options.scripted);
      return transcript;
    },
    /** Disconnects while the response may be streaming: closes the connection. */
    async disconnect() {
      left = true;
      await open.close();
      await pumping;
    },
    /** Cancels only the body, like a client that has read [DONE]. */
    async cancel() {
      left = true;
      await open.cancel();
      await pumping;
    },
    /** The body as a whole: for answers that are not streams (errors, the 202 of a steered prompt). */
    whole: (): Promise<Answer> => open.whole(),
  };
}
export type ChatReply = ReturnType<typeof createReply>;
