import { messageOf } from '../../emulator/contract/system-error.js';
import type { Evidence } from './evidence.js';
import { parseJson, TooDeep } from './json.js';
import type { Redactor } from './redact.js';
import type { Incoming } from './request.js';
import type { Host } from './time.js';
import { MAX_BODY, NoAnswer, type RequestWatch, whyNoAnswer } from './wait.js';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly text: string;
  /** The body as JSON; undefined if it is not JSON. */
  readonly json: unknown;
  readonly exchange: number;
}

/** An answer whose body is still coming. */
export interface OpenAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly exchange: number;
  readonly evidence: Evidence;
  /** ms between the request and the head of the answer. */
  readonly headAfter: number;
  /** The bytes as they come; undefined at the end. A finding if the connection breaks. */
  read(): Promise<{ bytes: Uint8Array; at: number } | undefined>;
  /** Closes the connection: cancels the body and aborts the request. */
  close(): Promise<void>;
  /** Only cancels the body, like a client that needs no more. */
  cancel(): Promise<void>;
  /** Reads to the end. */
  whole(): Promise<Answer>;
}

export const isStream = ({ headers }: Pick<Answer, 'headers'>): boolean =>
  /text\/event-stream/i.test(headers.get('content-type') ?? '');

interface OpenAnswerDeps {
  readonly host: Host;
  readonly redactor: Redactor;
  readonly watch: RequestWatch;
  readonly record: Evidence;
  readonly number: number;
  readonly headAfter: number;
  /** ms since the client began. */
  at(): number;
  /** Called when the body has ended. `complete`: by itself. */
  over(answer: OpenAnswer, complete: boolean): void;
  seen(answer: Answer): void;
}

const utf8 = new TextDecoder();

/** @throws TooDeep */
const parsed = (text: string): unknown => {
  try {
    return text === '' ? undefined : parseJson(text);
  } catch (error) {
    if (error instanceof TooDeep) throw error;
    return undefined;
  }
};

/** The words of the evidence for a broken body. */
export function said(lost: unknown): string {
  const why = whyNoAnswer(lost);
  return why === undefined ? String(lost) : `${why.kind}: ${why.detail}`;
}

/** Reads the body of a response, and keeps the evidence of it. */
export function openAnswer(response: Incoming, deps: OpenAnswerDeps): OpenAnswer {
  const { at, host, record, redactor, watch } = deps;
  const reader = response.body?.getReader();
  let total = 0;
  let over = reader === undefined;
  if (over) record.close('end');

  const finish = (how: string) => {
    over = true;
    record.close(how);
    deps.over(answer, how === 'end');
  };
  const letGo = async () => {
    watch.hangUp();
    // A body that does not end would delay the cancel as well.
    void reader?.cancel().catch(() => {});
    await host.turn();
  };
  const answer: OpenAnswer = {
    status: response.status,
    headers: response.headers,
    exchange: deps.number,
    evidence: record,
    headAfter: deps.headAfter,
    async read() {
      if (over || reader === undefined) return undefined;
      try {
        const { done, value } = await reader.read();
        if (done) {
          if (!over) finish('end');
          return undefined;
        }
        const when = at();
        record.received(when, value);
        total += value.length;
        if (total > MAX_BODY) throw new NoAnswer('too long', watch.what(), `a body of more than ${MAX_BODY} bytes`);
        return { bytes: value, at: when };
      } catch (error) {
        const lost = watch.reasonOf(error);
        const ours = over;
        if (!ours) finish(said(lost));
        if (whyNoAnswer(lost)?.kind === 'too long') watch.hangUp();
        if (ours) return undefined;
        throw lost;
      }
    },
    async cancel() {
      if (over) return;
      finish('cancelled');
      await reader?.cancel().catch(() => {});
    },
    async close() {
      if (over) return;
      finish('cancelled');
      // The request is aborted first: over a network that closes the connection.
      watch.hangUp();
      await reader?.cancel().catch(() => {});
    },
    async whole() {
      const parts: Uint8Array[] = [];
      const all = async () => {
        for (let piece = await answer.read(); piece !== undefined; piece = await answer.read()) parts.push(piece.bytes);
      };
      await watch.within(all(), 'whole came').catch(async (error) => {
        if (!over) finish(said(error));
        await letGo();
        throw error;
      });
      const bytes = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
      const text = utf8.decode(bytes);
      redactor.learnFrom(text);
      const { status, headers, exchange } = answer;
      let json: unknown;
      try {
        json = parsed(text);
      } catch (error) {
        throw new NoAnswer('too deep', watch.what(), messageOf(error));
      }
      const read: Answer = { status, headers, bytes, text, json, exchange };
      deps.seen(read);
      return read;
    },
  };
  return answer;
}
