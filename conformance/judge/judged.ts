import { passed } from '../../emulator/wire/streams.js';
import type { Exchange } from '../model/exchange.js';
import { systemHost } from '../probe/time.js';
import { callerBy, exchangeBy, type Parts, splitPath, textBody } from './exchange.js';
import { createJudge, type Judge, type JudgeOptions } from './judge.js';

/** As much of `fetch` as is wrapped. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Statuses whose answers have no body. */
const BARE: ReadonlySet<number> = new Set([204, 205, 304]);

/** A body that calls back with its text once it ended; it is read as fast as its reader reads, and left when that leaves. */
function watched(body: ReadableStream<Uint8Array>, over: (text: string, whole: boolean) => void) {
  const decoder = new TextDecoder();
  let text = '';
  return passed(body, {
    sends(piece) {
      text += decoder.decode(piece, { stream: piece !== undefined });
      if (piece === undefined) over(text, true);
      return piece;
    },
    left(cancel) {
      over(text, /data: ?\[DONE\]\s*$/.test(text));
      return cancel();
    },
    broken: () => over(text, false),
  });
}

/** The same answer, with another body. */
function withBody(response: Response, body: ReadableStream<Uint8Array>): Response {
  const { status, statusText, headers, url, redirected, type } = response;
  const other = new Response(body, { status, statusText, headers });
  for (const [name, value] of Object.entries({ url, redirected, type })) Object.defineProperty(other, name, { value });
  return other;
}

/**
 * Wraps a `fetch`: every exchange with the interface is judged, and passed on as it is. `judge.report()` has the
 * result.
 */
export function judged(
  fetch: Fetch,
  options: JudgeOptions & { readonly judge?: Judge } = {},
): Fetch & { readonly judge: Judge } {
  const judge = options.judge ?? createJudge(options);
  const conversations = new Map<string, ReturnType<Judge['open']>>();
  let number = 0;
  const wrapped: Fetch = async (input, init) => {
    const request = input instanceof Request ? input : undefined;
    const url = new URL(request?.url ?? String(input));
    const split = splitPath(`${url.pathname}${url.search}`);
    if (split === undefined) {
      judge.ignores();
      return fetch(input, init);
    }
    const target = `${url.origin}${split.base}`;
    const conversation = conversations.get(target) ?? judge.open(target, { whole: options.whole === true });
    conversations.set(target, conversation);
    const headers = new Headers(init?.headers ?? request?.headers);
    const raw = init?.body ?? (request?.body ? await request.clone().text() : '');
    const text = typeof raw === 'string' ? raw : raw instanceof Uint8Array ? new TextDecoder().decode(raw) : undefined;
    if (typeof raw === 'string' && init?.body && !headers.has('content-type'))
      headers.set('content-type', 'text/plain;charset=UTF-8');
    const header = (name: string) => headers.get(name) ?? undefined;
    const parts: Omit<Parts, 'answer'> = {
      number: ++number,
      at: systemHost.now(),
      method: (init?.method ?? request?.method ?? 'GET').toUpperCase(),
      path: split.path,
      header,
      body: text === undefined ? { kind: 'unknown' } : textBody(text),
      caller: callerBy(header),
    };
    const exchange = (answer: Parts['answer']): Exchange => exchangeBy({ ...parts, answer }, judge.profile.tool_name);
    conversation.asks(exchange(undefined).asked);
    let response: Response;
    try {
      response = await fetch(input, init);
    } catch (error) {
      conversation.sees(exchange(undefined));
      throw error;
    }
    const over = (said: string, whole: boolean) => {
      const at = systemHost.now();
      const { status } = response;
      const got = (name: string) => response.headers.get(name) ?? undefined;
      conversation.sees(exchange({ at, status, header: got, pieces: [{ at, text: said }], whole }));
    };
    if (response.body === null || BARE.has(response.status)) {
      over('', true);
      return response;
    }
    return withBody(response, watched(response.body, over));
  };
  return Object.assign(wrapped, { judge });
}
