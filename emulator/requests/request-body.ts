import { hostDelay } from '../clock/host.js';
import { Refusal } from '../contract/errors.js';
import { parseJson as parseLocated } from '../contract/json.js';
import { hidesBody, PlainRequest, type ReceivedRequest } from './received-request.js';

/** The cap of every request body, in bytes (BODY-2). */
export const MAX_BODY = 1_048_576;

const EMPTY = new Uint8Array(0);
const utf8 = new TextEncoder();

/**
 * Reads a body up to the cap, counting the bytes that arrive. A declared length is believed only if Node's parser
 * enforces it (`framed`): then the whole body can be taken at once.
 *
 * The body is cancelled if `scope` ends first. A caller that reads it for somebody else checks the scope too.
 *
 * @throws Refusal `payload_too_large` as soon as the cap is passed; what follows is never held
 */
export async function readBody(
  request: ReceivedRequest,
  framed: boolean,
  cap = MAX_BODY,
  scope?: { defer(dispose: () => void): () => void },
): Promise<Uint8Array> {
  const declared = request.headers.get('content-length');
  if (declared !== null && Number(declared) > cap) throw new Refusal('payload_too_large');
  if (request instanceof PlainRequest) {
    if (request.body instanceof Error) throw request.body;
    const bytes = typeof request.body === 'string' ? utf8.encode(request.body) : request.body;
    if (bytes.length > cap) throw new Refusal('payload_too_large');
    return bytes;
  }
  if (framed && declared !== null) return declared === '0' ? EMPTY : new Uint8Array(await request.arrayBuffer());
  if (framed && request.headers.get('transfer-encoding') === null) return EMPTY;
  if (!request.body) return EMPTY;
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body.getReader();
  const read = scope?.defer(() => void reader.cancel().catch(() => {}));
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > cap) {
      await discard(reader, framed);
      throw new Refusal('payload_too_large');
    }
    chunks.push(value);
  }
  read?.();
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

/** How much of a refused body is still taken from a sender, in bytes. */
const DISCARD_BYTES = 16_777_216;
/** How long such a sender may pause, and how long it may take altogether, in ms of the host's time. */
const DISCARD_PAUSE = 200;
const DISCARD_TIME = 2_000;

/** Resolves once a sender pauses, measured by the bytes it has sent, or has taken too long. */
async function untilPaused(sent: () => number): Promise<void> {
  for (let taken = 0; taken < DISCARD_TIME; taken += DISCARD_PAUSE) {
    const before = sent();
    await hostDelay(DISCARD_PAUSE);
    // On a busy machine, sent bytes may have arrived and still be unread.
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (sent() === before) return;
  }
}

/**
 * Lets a sender finish what it is sending, without keeping it: many clients see the answer only after they could send
 * all of their body. A sender that never stops, or that pauses, still gets its answer.
 */
async function discard(reader: ReadableStreamDefaultReader<Uint8Array>, onSocket: boolean): Promise<void> {
  if (!onSocket) return void reader.cancel().catch(() => {});
  let size = 0;
  const drain = async () => {
    while (size < DISCARD_BYTES) {
      const { done, value } = await reader.read();
      if (done) return;
      size += value.byteLength;
    }
  };
  await Promise.race([drain().catch(() => {}), untilPaused(() => size)]);
}

/** A request of Node's server: the parts that are used here. */
export interface Incoming {
  readonly method?: string | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly complete: boolean;
  readonly readableDidRead: boolean;
  on(event: 'data', listener: (bytes: Uint8Array) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  once(event: 'end' | 'close', listener: () => void): unknown;
}

/**
 * Lets a sender finish a body that nobody read, if the answer came before it: the caller's refusals do. The same bounds
 * hold. Undefined if there is nothing to wait for.
 */
export function discardUnread(incoming: Incoming | undefined): Promise<void> | undefined {
  if (!incoming || incoming.complete || incoming.readableDidRead) return undefined;
  const { headers } = incoming;
  if ((headers['content-length'] ?? '0') === '0' && headers['transfer-encoding'] === undefined) return undefined;
  let size = 0;
  const drained = new Promise<void>((resolve) => {
    incoming.on('data', (bytes) => {
      size += bytes.byteLength;
      if (size > DISCARD_BYTES) resolve();
    });
    incoming.once('end', resolve);
    incoming.once('close', resolve);
  });
  return Promise.race([drained, untilPaused(() => size)]);
}

/**
 * Reads a body as {@link readBody} does, also one that a `Request` hides: a proof over no bytes must not pass for a
 * request that has some.
 *
 * @throws Refusal `payload_too_large`
 */
export function readReceivedBody(
  request: ReceivedRequest,
  incoming: Incoming | undefined,
  cap = MAX_BODY,
): Promise<Uint8Array> {
  const { method = '', headers } = incoming ?? {};
  const framed = headers?.['content-length'] !== undefined || headers?.['transfer-encoding'] !== undefined;
  if (!incoming || request instanceof PlainRequest || !hidesBody(method) || !framed)
    return readBody(request, incoming !== undefined, cap);
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    incoming.on('data', (chunk) => {
      length += chunk.length;
      if (length <= cap) return void chunks.push(chunk);
      // The rest is discarded: the connection may be used for more.
      chunks.length = 0;
      reject(new Refusal('payload_too_large'));
    });
    incoming.once('end', () => resolve(Buffer.concat(chunks)));
    incoming.on('error', reject);
  });
}

/** Whether a body holds only JSON white space. */
export const isBlank = (bytes: Uint8Array): boolean =>
  bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d);

/** Whether a content type declares JSON; parameters such as charset are allowed (BODY-3). */
export const isJson = (contentType: string | null): boolean =>
  contentType !== null && contentType.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Up to this many bytes it is worth the time to find out where a text stops being JSON. */
const LOCATED = 65_536;

/**
 * @throws Error that says what is wrong with the bytes, without quoting them: Node's own message would, and they may
 *   hold a credential (AUTH-9)
 */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decoder.decode(bytes);
  if (bytes.length <= LOCATED) return parseLocated(text);
  try {
    return JSON.parse(text);
  } catch {
    throw new SyntaxError('a long text that is somewhere wrong');
  }
}
