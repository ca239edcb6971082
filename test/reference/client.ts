import type { ClientAnswer, RunLine } from '../../conformance/clients/protocol.js';
import { abortOf } from './abort.js';
import { CallError, createAssembly } from './assemble.js';
import { Aborted, call, type Means, Silent } from './call.js';
import { createParser, type ParsedEvent } from './event-stream.js';
import type { Has } from './flaws.js';
import { signedRequest } from './signing.js';
import type { Incoming } from './transport.js';
import { watchBody } from './watch.js';

const isEventStream = (type: string | undefined, exact: boolean): boolean =>
  exact ? type === 'text/event-stream' : /^text\/event-stream\s*(;|$)/i.test(type ?? '');

/**
 * The reference client: does one call as an adapter does and returns the outcome. `onEvent` receives each event or
 * chunk as it comes. Right in every way, except for the mistakes of `means.has` (LAB-12).
 */
export async function answerRun(
  line: RunLine,
  means: Means,
  onEvent: (event: unknown) => void = () => {},
): Promise<ClientAnswer> {
  return line.layer === 'signing' ? signedRequest(line, means) : stream(line, means, onEvent);
}

type Body = { readonly messages?: readonly { readonly content?: unknown }[] };

/** The body that leaves: what the caller gave. */
function sentBody(given: Body, has: Has): object {
  if (has('bodyDropped')) return { stream: true, messages: [] };
  const unsent = has('streamUnasked') ? 'stream' : has('sessionUnsent') ? 'session_id' : undefined;
  const body = Object.fromEntries(Object.entries(given).filter(([name]) => name !== unsent));
  return has('echoUnsent') ? { ...body, messages: given.messages?.filter(({ content }) => content) } : body;
}

async function stream(line: RunLine, means: Means, onEvent: (event: unknown) => void): Promise<ClientAnswer> {
  const { has } = means;
  const isChat = line.layer === 'chat';
  const events: ParsedEvent[] = [];
  const abort = abortOf(line, means);
  const { caller } = abort;
  const assembly = createAssembly(has);
  let reported = 0;
  let left = false;
  const body = sentBody(line.body as Body, has);
  const request = async (attempt: number) => ({
    method: 'POST',
    url: isChat ? `${line.base_url}/chat/completions` : line.url,
    headers: [
      ...Object.entries(line.headers).map(([name, value]) => [
        name,
        has('bareKey') ? value.replace('Bearer ', '') : value,
      ]),
      ['content-type', 'application/json'],
      ['accept', 'text/event-stream'],
      ['accept-encoding', 'gzip, deflate, br'],
    ] as [string, string][],
    body: Buffer.from(
      has('retryEmpty') && attempt > 0 ? '' : JSON.stringify(body),
      has('bodyLatin1') ? 'latin1' : 'utf8',
    ),
    ca: line.ca,
  });
  const take = (event: ParsedEvent) => {
    if (left || (isChat && assembly.done) || (caller.aborted && !abort.missed)) return;
    if (isChat) assembly.take(event);
    else {
      if (has('doneEndsEvents') && event.data === '[DONE]') left = true;
      else events.push(event);
    }
    if (isChat && event.data === '[DONE]') return;
    onEvent(event);
    reported++;
    abort.handedOut(reported);
    if (line.stop_after !== undefined && reported >= line.stop_after) left = true;
  };
  const read = async (incoming: Incoming & { signal: AbortController }) => {
    const type = incoming.header('content-type');
    const fits = has('anyType') || isEventStream(type, has('exactType')) || (has('untilClose') && type !== undefined);
    if (has('typeRequired') && type === undefined) throw new CallError('no content type', 415);
    if (incoming.status !== 200 && !has('anyStatus')) {
      if (has('emptySuccess')) return;
      throw new CallError(`status ${incoming.status}`, incoming.status);
    }
    if (has('noTypeIsEmpty') && type === undefined) return;
    if (!fits) {
      if (has('jsonIsEmpty') && /json/.test(type ?? '')) return;
      if (has('textIsAnswer') && /text/.test(type ?? '')) return;
      incoming.leave();
      throw new CallError(`no event stream: ${type ?? 'no content type'}`);
    }
    const charset = /charset=([\w-]+)/.exec(type ?? '')?.[1];
    const parser = createParser(take, has, charset);
    const watch = watchBody(line, incoming, caller, means, () => reported);
    try {
      for await (const chunk of watch.body) {
        if (has('abortUnheard') && caller.aborted) throw new Aborted();
        parser.feed(chunk);
        watch.alive();
        if (left || (isChat && assembly.done && !has('waitAfterDone') && !has('cutAfterDoneLoses'))) {
          incoming.leave();
          return;
        }
      }
      if (caller.aborted && !abort.missed) throw new Aborted();
      parser.end();
    } catch (error) {
      if (has('cutAfterFinishOk') && assembly.finished && !(error instanceof CallError && error.status !== undefined))
        return;
      if (isChat && assembly.done && !has('cutAfterDoneLoses')) return;
      const { reason } = incoming.signal.signal;
      if (reason instanceof Silent && has('idleIsEnd')) return;
      throw reason instanceof Error && !(error instanceof TypeError) ? reason : error;
    } finally {
      watch.stop();
    }
  };
  try {
    const options = {
      request,
      retries: line.retries === 'default',
      timeout: line.timeout * 0.9,
      follow: true,
      caller,
      idle: line.idle_limit,
      accepts: (status: number) => (status >= 200 && status <= 299) || (has('redirectIsEmpty') && status < 400),
    };
    const plain = has('redirectIsEmpty') ? { ...options, follow: false } : options;
    const first = await call(plain, means).catch((error: unknown) => {
      if (has('noAnswerIsEmpty') && !(error instanceof CallError)) return undefined;
      throw error;
    });
    if (first === undefined) return { outcome: 'complete', chat: assembly.chat(true) };
    if (has('redirectIsEmpty') && first.status >= 300)
      return { outcome: 'complete', ...(isChat ? { chat: assembly.chat(true) } : { events }) };
    try {
      await read(first);
    } catch (error) {
      if (!has('retryInStream') && !(has('idleRetried') && error instanceof Silent)) throw error;
      await read(await call(plain, means));
    }
    if (has('reconnect')) await call(plain, means).then((again) => again.leave());
    if (isChat && !left && !has('idleIsEnd') && !has('emptySuccess') && !has('jsonIsEmpty') && !has('textIsAnswer'))
      assembly.end();
    return { outcome: 'complete', ...(isChat ? { chat: assembly.chat(true) } : { events }) };
  } catch (error) {
    if (caller.aborted && has('abortIsEnd'))
      return { outcome: 'complete', ...(isChat ? { chat: assembly.chat(true) } : { events }) };
    const lost = has('cutAfterDoneLoses') && assembly.done;
    const chat =
      lost || has('emptyArgumentsFail') ? { content: lost ? 'lost' : '', tool_calls: [] } : assembly.chat(false);
    const fails = has('abortIsError') || (has('abortTwiceFails') && error instanceof TypeError);
    const aborted = caller.aborted && !fails;
    if (aborted && has('abortLoses')) return { outcome: 'aborted', events: [], chat: { content: '', tool_calls: [] } };
    return {
      outcome: aborted ? 'aborted' : 'error',
      ...(isChat ? { chat } : { events }),
      error: errorOf(error),
    };
  } finally {
    abort.stop();
  }
}

/** An error as an adapter reports it. */
export const errorOf = (error: unknown): { message: string; status?: number; code?: string } => ({
  message: error instanceof Error ? error.message : String(error),
  ...(error instanceof CallError && error.status !== undefined ? { status: error.status } : {}),
  ...(error instanceof CallError && error.code !== undefined ? { code: error.code } : {}),
});
