import type * as Z from 'zod';
import { problem, words } from './problem.js';
import { loadZod } from './with-zod.js';

const z = loadZod();

/**
 * A case of the client lab (LAB-1 to LAB-6, LAB-14): what the server does, byte for byte, and what a client must make of
 * it. `fixtures/client-cases/*.json` holds them; `schemas/client-cases.schema.json` is made from this.
 */

const text = z.string();
const count = z.int().min(0);
const ms = z.int().min(0).describe('milliseconds of real time');

const repeat = z.int().min(1).optional().describe('how many such writes in a row, 1 when left out');

const rst = z
  .strictObject({ rst: z.enum(['cancel', 'internal-error', 'refused-stream']) })
  .describe('h2: RST_STREAM with this code');
const goaway = z
  .strictObject({ goaway: z.strictObject({ last: z.enum(['this', 'before']) }) })
  .describe('h2: GOAWAY with NO_ERROR; the last stream that it lets end is this one, or the one before');

export const stepSchema = z.union([
  z.strictObject({ write: z.string().min(1), repeat }).describe('one write of UTF-8 text, and one HTTP chunk'),
  z.strictObject({ write_base64: z.string().min(1), repeat }).describe('one write of bytes, and one HTTP chunk'),
  z.strictObject({ wait: ms.max(2_000) }),
  z
    .strictObject({ end: z.enum(['fin', 'reset', 'none', 'cut']) })
    .describe(
      'how it ends, if not by the normal end of the framing; none: it stays open; cut: FIN without close_notify of TLS',
    ),
  rst,
  goaway,
]);

export const beforeSchema = z.union([
  z.strictObject({ wait: ms.max(2_000) }),
  z.strictObject({ informational: z.int().min(100).max(199) }),
  z.strictObject({ end: z.enum(['fin', 'reset', 'none']) }).describe('no head ever comes'),
  rst,
  goaway,
]);

const side = z.enum(['sign', 'daemon']);
const advance = z.int().optional().describe('seconds that the clock of this run advances before the answer');

const scriptedSchema = z.strictObject({
  at: side.optional().describe('signing: which side answers'),
  spends: z.boolean().optional().describe('signing: verify the proof first, which uses up its nonce'),
  advance,
  before: z.array(beforeSchema).optional(),
  status: z.int().min(200).max(599),
  headers: z.record(text, z.union([text, z.array(text)])),
  framing: z.enum(['chunked', 'length', 'close']),
  connection: z.enum(['keep-alive', 'close']),
  protocol: z.literal('h2').optional().describe('HTTP/2 over TLS, by ALPN: no framing, no connection'),
  window: z.literal(1).optional().describe("h2: the lab's window for the request body, in bytes"),
  trailers: z.record(text, text).optional().describe('h2: after the body'),
  encoding: z
    .enum(['gzip', 'deflate', 'br'])
    .optional()
    .describe('compressed where `Accept-Encoding` names it, and flushed at each write'),
  length: count.optional().describe('what Content-Length says, if that is not the truth'),
  steps: z.array(stepSchema),
});

const realSchema = z
  .strictObject({ at: side, real: z.literal(true), advance })
  .describe("signing: the emulator's own sign or daemon answers");

const exchangeSchema = z.union([scriptedSchema, realSchema]);

/** A string, or the digest that replaces one of more than 65,536 bytes of UTF-8. */
export const longTextSchema = z.union([
  text,
  z.strictObject({ sha256: z.string().regex(/^[0-9a-f]{64}$/), length: count }),
]);

export const eventSchema = z.strictObject({ event: text, data: longTextSchema, id: text });

export const toolCallSchema = z.strictObject({
  id: z.string().nullable(),
  name: z.string().nullable(),
  arguments: longTextSchema,
});

export const chatSchema = z.strictObject({
  content: longTextSchema,
  reasoning: longTextSchema.optional(),
  tool_calls: z.array(toolCallSchema),
  finish_reason: z.string().nullable(),
  usage: z.record(text, z.unknown()).nullable(),
  session_id: z.string().optional(),
});

const requestSeenSchema = z.strictObject({
  method: text.optional(),
  path: text.optional().describe('below the base URL of the run, or of the side that was asked'),
  with_header: z.array(text).optional().describe('names, or `name: value`'),
  without_header: z.array(text).optional(),
  body_has: z
    .union([text, z.record(text, z.unknown())])
    .optional()
    .describe('text, or the least that its JSON has: of an object these members, of an array every item'),
});

const requestsSchema = z.strictObject({
  count: z.union([count, z.tuple([count, count])]).optional(),
  gap_at_least: ms.optional().describe('between the arrival of one request and that of the next'),
  connections: count.optional().describe('how many brought all requests, those of `then` too'),
  close_within: ms.optional().describe('from the write of the n-th event to the close of the connection'),
  left_within: ms.optional().describe('from the answer to the close of each connection, in h2 of each stream'),
  each: z.array(requestSeenSchema).optional().describe('the n-th for the n-th request'),
  fresh: z.array(text).optional().describe('what no two requests to the daemon may share: `nonce`'),
  watched_for: ms.optional().describe('how long to wait for further requests after the answer'),
});

export const expectSchema = z.strictObject({
  outcome: z.enum(['complete', 'error', 'aborted']),
  events: z.array(eventSchema).optional(),
  chat: chatSchema.optional(),
  prompt: z.literal(true).optional().describe('each event must be out before the next write'),
  within: ms.optional().describe('how long an answer may take'),
  idle_within: ms
    .optional()
    .describe(
      "after `idle_limit` of silence, counted from the lab's last byte: 100 ms sooner at most, so many ms later",
    ),
  status: z.int().optional().describe('signing: the status that the daemon answered last'),
  error: z
    .strictObject({
      status: z.int().nullable().optional().describe('null: none but that of the head, for no other came'),
      code: z.union([text, z.number()]).optional().describe('as it came, or in the message'),
      message_has: text.optional(),
    })
    .optional(),
  requests: requestsSchema.optional(),
});

/** The layers of a reply that an adapter may be asked for. */
export const LAYERS = ['sse', 'chat', 'signing'] as const;

/** Abilities of an adapter beside its layers (LAB-14). */
export const ABILITIES = ['idle', 'abort', 'h2', 'br'] as const;

/** When the caller aborts the call, by the client's own means. */
const times = z.literal(2).optional().describe('aborted twice');
export const abortSchema = z.union([
  z.strictObject({ when: z.literal('before'), times }),
  z
    .strictObject({ when: z.literal('event'), n: z.int().min(1), times })
    .describe('as the n-th event (in chat: chunk) is handed out'),
  z.strictObject({ when: z.literal('ms'), ms, times }).describe('counted from the call'),
]);

const runSchema = z
  .strictObject({
    idle_limit: ms.optional().describe('the longest silence that the client shall bear'),
    abort: abortSchema.optional(),
  })
  .describe('what stands in the line of the run beside the rest');

const alternativeSchema = expectSchema.extend({ why: text });

export const clientCaseSchema = z.strictObject({
  id: z.string().regex(/^(sse|http|chat|sign|idle|abort|h2|coding)-[a-z0-9]+(-[a-z0-9]+)*$/),
  title: text.describe('one sentence: what the server does'),
  layer: z.enum(LAYERS),
  class: z
    .enum(['valid', 'invalid', 'either'])
    .describe(
      'valid: parsed as `expect` says; invalid: an error that the caller sees; either: `expect` or an alternative',
    ),
  flags: z
    .array(z.enum(['splittable', 'bytes', 'linear']))
    .optional()
    .describe(
      'splittable: the same however it is cut; bytes: arguments are compared as text; linear: time is linear in size',
    ),
  why: z.array(text).min(1).describe('the clauses'),
  seen: z.array(z.string().regex(/^[\w.-]+\/[\w.-]+#\d+$/)).describe('threads about real clients that got it wrong'),
  notes: z.array(text).min(1).optional().describe('parsers that are known to differ here, and how'),
  body: z.record(text, z.unknown()).optional().describe('what the client sends, if that matters'),
  retries: z.literal('default').optional().describe("the client's own retries stay on; else they are off"),
  needs: z.array(z.enum(ABILITIES)).min(1).optional().describe('abilities that the adapter must offer, all of them'),
  run: runSchema.optional(),
  // biome-ignore lint/suspicious/noThenProperty: the word of the format
  then: z
    .literal('call')
    .optional()
    .describe('the same client makes one more call, which the next exchange answers, and which must be complete'),
  stop_after: z.int().min(1).optional().describe('leave after so many events or chunks'),
  timeout: ms.optional().describe("the client's limit, 5000 when left out"),
  clock: z.int().optional().describe("signing: seconds of the service's time minus real time"),
  request: z
    .strictObject({ method: text, path: text, headers: z.record(text, text), body_base64: text })
    .optional()
    .describe('signing: the request for the daemon'),
  exchanges: z.array(exchangeSchema).min(1).describe('the n-th answers the n-th request, the last one repeats'),
  expect: expectSchema,
  alternatives: z.array(alternativeSchema).optional(),
});

export const clientCasesSchema = z.strictObject({
  format: z
    .union([z.literal(1), z.literal(2)])
    .describe('2; a file of format 1, which knew neither abilities nor transports, is read too'),
  cases: z.array(clientCaseSchema),
});

/**
 * The cases of a parsed file, of this format or of format 1 (LAB-14).
 *
 * @throws RangeError that says what is invalid, and where
 */
export function readCases(file: unknown): readonly ClientCase[] {
  const parsed = clientCasesSchema.safeParse(file, { error: words });
  if (!parsed.success) throw new RangeError(problem(parsed.error, 'client cases'));
  return parsed.data.cases;
}

export type Abort = Z.infer<typeof abortSchema>;
export type Step = Z.infer<typeof stepSchema>;
export type Scripted = Z.infer<typeof scriptedSchema>;
export type CaseExchange = Z.infer<typeof exchangeSchema>;
export type LongText = Z.infer<typeof longTextSchema>;
export type CaseEvent = Z.infer<typeof eventSchema>;
export type CaseToolCall = Z.infer<typeof toolCallSchema>;
export type Chat = Z.infer<typeof chatSchema>;
export type Expectation = Z.infer<typeof expectSchema>;
export type RequestsExpected = Z.infer<typeof requestsSchema>;
export type ClientCase = Z.infer<typeof clientCaseSchema>;

/** Whether an exchange is scripted byte for byte, and not left to the emulator's own sign or daemon. */
export const isScripted = (exchange: CaseExchange): exchange is Scripted => !('real' in exchange);
