// A client of chat streams and daemon proofs, right by interface.md, WHATWG's event streams and the chat-completion chunks.
// `node client.mjs NAME` speaks the lab's adapter protocol with one switch turned: NAME is a row of ways.ts.

import { createHash, randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import http from 'node:http';
import http2 from 'node:http2';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import zlib from 'node:zlib';

const way = process.argv[2] ?? 'right';
const is = (...names) => names.includes(way);

// ---- The event stream: bytes, lines, events.

const LINE_END = is('lf-only', 'crlf-but-no-cr')
  ? /\n/g
  : is('unicode-lines')
    ? /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g
    : /\r\n|\n|\r/g;

class Parser {
  decoder = new TextDecoder('utf-8', { ignoreBOM: is('bom-kept') });
  parts = [];
  data = [];
  name = '';
  id = '';
  first = undefined;

  constructor(type) {
    const charset = /charset=([^;\s]+)/i.exec(type)?.[1];
    if (is('charset-obeyed') && charset !== undefined) this.decoder = new TextDecoder(charset);
    if (is('latin1-unless-reported') && charset === undefined) this.decoder = new TextDecoder('latin1');
  }

  *push(bytes) {
    if (is('decode-per-chunk')) this.decoder = new TextDecoder();
    let text = this.decoder.decode(bytes, { stream: !is('decode-per-chunk') });
    if (is('bom-anywhere')) text = text.replaceAll('\ufeff', '');
    if (text === '') return;
    if (this.afterCr === true && text.startsWith('\n')) text = text.slice(1);
    this.afterCr = false;
    if (is('cr-held')) {
      text = (this.held ?? '') + text;
      this.held = text.endsWith('\r') ? '\r' : '';
      text = text.slice(0, text.length - this.held.length);
    } else if (!is('lf-only', 'crlf-but-no-cr', 'crlf-cut-twice')) this.afterCr = text.endsWith('\r');
    if (is('scan-again')) {
      text = this.parts.splice(0).join('') + text;
    }
    let start = 0;
    for (const { index, 0: end } of text.matchAll(LINE_END)) {
      yield* this.line(this.parts.splice(0).join('') + text.slice(start, index));
      start = index + end.length;
    }
    this.parts.push(text.slice(start));
    if (is('chunk-is-event')) {
      yield* this.line(this.parts.splice(0).join(''));
      yield* this.dispatch();
    }
  }

  *line(given) {
    const line = is('crlf-but-no-cr') && given.endsWith('\r') ? given.slice(0, -1) : given;
    if (is('long-line') && line.length > 65_536) throw new Error('line too long');
    if (line === '') {
      yield* this.dispatch();
      return;
    }
    this.first ??= line;
    if (line.startsWith(':')) return;
    const colon = line.indexOf(':');
    if (colon < 0 && is('no-colon-ignored')) return;
    let field = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? '' : line.slice(colon + 1);
    if (is('space-needed') && !value.startsWith(' ')) return;
    if (value.startsWith(' ')) value = value.slice(1);
    if (is('value-lstrip')) value = value.trimStart();
    if (is('value-rstrip')) value = value.trimEnd();
    if (is('colon-space-split')) value = value.split(': ')[0];
    if (is('field-any-case')) field = field.toLowerCase();
    if (is('field-by-prefix') && field.startsWith('data')) field = 'data';
    if (field === 'data') {
      this.data.push(value);
      if (is('line-is-event')) yield* this.dispatch();
    } else if (field === 'event') this.name = value;
    else if (
      field === 'id' &&
      (!value.includes('\0') || is('id-with-nul')) &&
      !(is('empty-id-ignored') && value === '')
    )
      this.id = value;
  }

  *dispatch() {
    const { data, name, first } = this;
    this.data = [];
    this.first = undefined;
    const keepsName = is('name-sticks') || (is('name-survives-blank') && data.length === 0);
    if (!keepsName) this.name = '';
    if (is('id-needs-data') && data.length === 0) this.id = this.dispatchedId ?? '';
    if (data.length === 0 && !(is('no-data-reported') && first !== undefined && !first.startsWith(':'))) return;
    if (is('comment-block-dropped') && first.startsWith(':')) return;
    if (is('data-must-lead') && !first.startsWith('data')) return;
    if (is('named-lost') && name !== '' && name !== 'message') return;
    const joined = is('data-last-line') ? data.at(-1) : data.join(is('data-glued') ? '' : '\n');
    if (is('empty-data-lost') && joined === '') return;
    const event = { event: name === '' ? 'message' : name, data: joined, id: this.id };
    this.dispatchedId = this.id;
    if (is('id-not-kept')) this.id = '';
    if (is('event-held')) {
      if (this.waiting !== undefined) yield this.waiting;
      this.waiting = event;
    } else yield event;
  }
}

/** What came in the last 30 ms, at once. */
async function* joined(body) {
  const parts = [];
  let ended = false;
  let failed;
  const gather = async () => {
    for await (const bytes of body) parts.push(bytes);
  };
  gather()
    .catch((error) => {
      failed = error;
    })
    .finally(() => {
      ended = true;
    });
  while (!ended || parts.length > 0) {
    await sleep(30);
    if (parts.length > 0) yield Buffer.concat(parts.splice(0));
  }
  if (failed !== undefined) throw failed;
}

async function* eventsOf(response) {
  const parser = new Parser(response.headers['content-type'] ?? '');
  for await (const bytes of is('joins-chunks') ? joined(response.body) : response.body) {
    if (is('byte-reader')) for (const byte of bytes) yield* parser.push(Buffer.of(byte));
    else {
      if (is('slow-reader')) await sleep(3);
      yield* parser.push(bytes);
    }
  }
  if (parser.waiting !== undefined) yield parser.waiting;
}

// ---- The chat: chunks to one answer.

const textOf = (value) => (typeof value === 'string' ? value : '');
const named = (value) => (typeof value === 'string' && value !== '' ? value : undefined);
const parses = (text) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

class Failure extends Error {
  constructor(message, details) {
    super(message);
    Object.assign(this, details);
  }
}
const failureOf = ({ message, code }, words) =>
  new Failure(String(message ?? words), {
    code,
    status: Number.isInteger(code) && !is('error-code-lost') ? code : undefined,
  });

class Chat {
  content = '';
  reasoning = '';
  calls = [];
  finish = null;
  usage = null;
  session = undefined;
  legacy = undefined;
  seen = 0;

  take(chunk) {
    this.seen += 1;
    if (chunk.error && !is('error-chunk-ignored')) throw failureOf(chunk.error, 'the stream failed');
    const choices = is('empty-choices-crash') ? [chunk.choices[0].delta && chunk.choices[0]] : (chunk.choices ?? []);
    if (is('usage-null-crash') && choices.length === 0) void chunk.usage.total_tokens;
    if (chunk.usage && !(is('usage-beside-choices') && choices.length === 0)) this.usage = chunk.usage;
    if (typeof chunk.session_id === 'string' && !(is('session-beside-choices') && choices.length === 0))
      this.session = chunk.session_id;
    if (is('first-chunk-skipped') && this.seen === 1) return;
    for (const choice of choices) if ((choice.index ?? 0) === 0 || is('choices-mixed')) this.choice(choice);
  }

  choice(choice) {
    const hasDelta = choice.delta && Object.keys(choice.delta).length > 0;
    const delta = (hasDelta ? choice.delta : choice.message) ?? {};
    const ends = (choice.finish_reason ?? null) !== null;
    if (!(is('last-content-lost') && ends)) {
      if (is('null-as-text') && 'content' in delta) this.content += delta.content;
      else if (hasDelta || this.content === '') this.content += textOf(delta.content);
      this.reasoning += textOf(delta.reasoning ?? delta.reasoning_content);
      const reported = Array.isArray(delta.tool_calls) ? delta.tool_calls : [];
      for (const [at, call] of (is('one-call-a-delta') ? reported.slice(0, 1) : reported).entries())
        if (hasDelta || !this.calls.some(({ id }) => id === call.id)) this.call(call, at);
      if (delta.function_call) {
        this.legacy ??= { id: null, name: undefined, arguments: '' };
        this.legacy.name ??= named(delta.function_call.name);
        this.legacy.arguments += textOf(delta.function_call.arguments);
      }
    }
    if (choice.error && !is('error-chunk-ignored')) throw failureOf(choice.error, 'the run failed');
    if (choice.finish_reason === 'error' && !is('finish-error-is-end', 'error-chunk-ignored'))
      throw failureOf(choice, 'the run failed');
    if (is('finish-overwritten')) this.finish = choice.finish_reason ?? null;
    else this.finish ??= choice.finish_reason ?? null;
  }

  slotOf(index, id, name, at) {
    const { calls } = this;
    const last = calls.at(-1);
    if (is('calls-by-position')) return calls.find((call) => call.index === at);
    if (is('calls-to-last')) return id !== undefined && id !== last?.id ? undefined : last;
    if (is('calls-by-id')) return id === undefined ? undefined : calls.find((call) => call.id === id);
    if (index !== undefined) {
      const open = calls.findLast((call) => call.index === index);
      const another = open?.id !== undefined && id !== undefined && id !== open.id;
      const opens = another && ((name !== undefined && name !== open.name) || parses(open.arguments));
      return opens ? undefined : open;
    }
    const known = id === undefined ? undefined : calls.find((call) => call.id === id);
    if (known !== undefined) return known;
    return id !== undefined || (name !== undefined && last?.name !== undefined) ? undefined : last;
  }

  call({ index: given, id: givenId, function: called = {} }, at) {
    const spelled = typeof given === 'string' && /^\d+$/.test(given) ? Number(given) : given;
    const index = Number.isInteger(spelled) ? spelled : undefined;
    if (index === undefined && is('index-needed')) return;
    const id = givenId === 'null' ? undefined : named(givenId);
    const name = named(called?.name);
    let call = this.slotOf(index, id, name, at);
    if (call === undefined) {
      const next = Math.max(-1, ...this.calls.map((one) => one.index)) + 1;
      call = { index: is('calls-by-position') ? at : (index ?? next), id: undefined, name: undefined, arguments: '' };
      this.calls.push(call);
    }
    if (is('id-overwritten')) call.id = givenId;
    else call.id ??= id;
    if (is('name-appended')) call.name = (call.name ?? '') + (name ?? '');
    else call.name ??= name;
    const more = called?.arguments ?? '';
    const text = typeof more === 'string' ? more : JSON.stringify(more);
    call.arguments = is('arguments-replaced') ? text || call.arguments : call.arguments + text;
  }

  /** What came, with the calls that may be reported. */
  reported(whole) {
    const sorted = is('calls-as-they-came') ? this.calls : this.calls.toSorted((one, other) => one.index - other.index);
    const all = is('calls-from-zero') ? sorted.filter(({ index }, at) => index === at) : sorted;
    const calls = all.length === 0 && this.legacy ? [this.legacy] : all;
    const finished =
      (whole || is('half-call-reported') || this.finish !== null) &&
      !(is('calls-need-reason') && this.finish !== 'tool_calls');
    const shown = calls.filter(
      (call) => finished && call.name !== undefined && (this.finish !== 'length' || parses(call.arguments)),
    );
    const content = is('text-beside-calls-lost') && shown.length > 0 ? '' : this.content;
    const written = (text) => (is('arguments-rewritten') && parses(text) ? JSON.stringify(JSON.parse(text)) : text);
    return {
      content,
      ...(this.reasoning === '' ? {} : { reasoning: this.reasoning }),
      tool_calls: shown.map((call) => ({
        id: call.id ?? null,
        name: call.name ?? '',
        arguments: written(call.arguments),
      })),
      finish_reason: this.finish,
      usage: this.usage,
      ...(this.session === undefined ? {} : { session_id: this.session }),
    };
  }

  end(done) {
    if (this.finish === null && (!done || this.calls.length > 0) && !is('eof-is-complete'))
      throw new Failure('the stream ended before the answer did');
    const nameless = this.calls.some(({ name }) => name === undefined);
    if (nameless) throw new Failure('a tool call without a name');
    if (is('empty-arguments-crash')) for (const call of this.calls) JSON.parse(call.arguments);
  }
}

// ---- Requests.

const agent = new http.Agent({ keepAlive: is('keeps-alive'), maxFreeSockets: 4 });
const sessions = new Map();

function sessionOf(origin, ca) {
  const kept = sessions.get(origin);
  if (kept !== undefined && (is('goaway-unheard') || !(kept.closed || kept.destroyed || kept.left))) return kept;
  const session = http2.connect(origin, { ca });
  sessions.set(origin, session);
  session.on('error', () => {});
  session.on('goaway', () => {
    session.left = true;
  });
  session.unref();
  return session;
}

const decoders = {
  gzip: () => zlib.createGunzip(is('cut-gzip-is-end') ? { finishFlush: zlib.constants.Z_SYNC_FLUSH } : {}),
  deflate: () => (is('deflate-raw') ? zlib.createInflateRaw() : zlib.createInflate()),
  br: () => zlib.createBrotliDecompress(),
};

async function* whole(stream) {
  const all = [];
  for await (const bytes of stream) all.push(bytes);
  yield Buffer.concat(all);
}

/** One exchange: the head, and a body that ends in an error where the connection does. */
function exchange({ origin, path, method, headers: given, body, ca }, { over, idle }) {
  const headers = { ...given };
  if (!is('asks-no-coding')) headers['accept-encoding'] ??= 'gzip, deflate, br';
  if (is('extra-headers'))
    Object.assign(headers, {
      accept: '*/*',
      'user-agent': 'Odd/1.0 (odd; but lawful)',
      'x-request-id': randomUUID(),
      cookie: 'a=b',
      'cache-control': 'no-cache',
      'x-stainless-lang': 'js',
      te: 'trailers',
    });
  if (is('odd-spelling') && headers.authorization !== undefined) {
    headers.AUTHORIZATION = headers.authorization.replace('Bearer', 'bearer');
    delete headers.authorization;
    if (headers['content-type'] === 'application/json') headers['content-type'] = 'application/json; charset=UTF-8';
  }
  const { promise, resolve, reject } = withResolvers();
  const isH2 = origin.startsWith('https:');
  let close;
  const answered = (status, head, raw, complete) => {
    const decoder = is('gzip-unread') ? undefined : decoders[(head['content-encoding'] ?? '').trim().toLowerCase()];
    const decoded = decoder === undefined ? raw : pipeline(raw, decoder(), () => {});
    const source = is('gzip-at-end') && decoder !== undefined ? whole(decoded) : decoded;
    async function* bodyOf() {
      const bytes = source[Symbol.asyncIterator]();
      const ended = new Promise((_, fail) => over.addEventListener('abort', () => fail(over.reason), { once: true }));
      try {
        for (;;) {
          const next = await Promise.race([bytes.next(), ended]);
          if (next.done) break;
          yield next.value;
        }
        if (!complete()) throw new Failure('the connection broke');
      } catch (error) {
        if (over.aborted) throw over.reason;
        if (!is('cut-is-end') || error.code?.startsWith('Z_')) throw error;
      } finally {
        idle.stop();
      }
    }
    resolve({ status, headers: head, body: bodyOf(), close });
  };
  const lost = (error) =>
    reject(over.aborted ? over.reason : new Failure(error.message, { unanswered: true, code: error.code }));
  if (isH2) {
    const { host, connection, ...rest } = headers;
    const stream = sessionOf(origin, ca).request({ ':method': method, ':path': path, ...rest });
    close = () => stream.close(http2.constants.NGHTTP2_CANCEL);
    stream.on('response', (head) => {
      idle.touch();
      answered(head[':status'], head, stream, () => stream.rstCode === 0 || is('reset-is-end'));
    });
    stream.on('data', () => idle.touch());
    stream.pause();
    stream.on('error', lost);
    // A head that came with its reset is reported after the close.
    stream.on('close', () => setImmediate(lost, new Error('the stream was closed before its answer')));
    stream.end(body);
  } else {
    const { hostname, port } = new URL(origin);
    const request = http.request({ hostname, port, path, method, headers, agent });
    close = () => request.destroy();
    const heard = () => idle.touch();
    request.on('socket', (socket) => {
      socket.on('data', heard);
      request.on('close', () => socket.off('data', heard));
    });
    request.on('response', (response) => {
      head = response;
      if (idle.headOnly) idle.stop();
      answered(response.statusCode, response.headers, response, () => response.complete && !broke);
    });
    // A body that ends with its connection is complete to node:http, even where a reset came first.
    let broke = false;
    let head;
    request.on('error', (error) => {
      broke = head?.complete === false;
      lost(error);
    });
    if (is('chunked-request') && body !== undefined) {
      request.setHeader('transfer-encoding', 'chunked');
      for (let at = 0; at < body.length; at += 1000) request.write(body.subarray(at, at + 1000));
      request.end();
    } else if (is('length-in-characters') && body !== undefined) {
      request.setHeader('content-length', body.toString().length);
      request.end(body.subarray(0, body.toString().length));
    } else request.end(body);
  }
  idle.start();
  const leave = () => {
    lost(over.reason);
    const stays = is('abort-stays-open') ? over.reason.aborted : is('idle-stays-open') && over.reason.silent;
    if (!stays) setTimeout(close, is('closes-late') ? 250 : 0);
  };
  if (over.aborted) leave();
  else over.addEventListener('abort', leave, { once: true });
  return promise;
}

function withResolvers() {
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
}

const MOVED = [301, 302, 303, 307, 308];

async function follow(first, life) {
  let asked = first;
  for (let hop = 0; ; hop++) {
    const response = await exchange(asked, life);
    const { location } = response.headers;
    const limit = is('redirect-loop') ? Number.POSITIVE_INFINITY : 5;
    if (!MOVED.includes(response.status) || location === undefined || first.stays || is('no-redirects') || hop >= limit)
      return response;
    response.close();
    const next = new URL(location, asked.origin + asked.path);
    const headers = { ...asked.headers };
    if (next.origin !== asked.origin && !is('redirect-tells-key')) delete headers.authorization;
    const keeps = is('redirect-303-posts') ? true : is('redirect-307-gets') ? false : response.status >= 307;
    if (!keeps) {
      delete headers['content-type'];
      delete headers['content-length'];
    }
    asked = {
      ...asked,
      origin: next.origin,
      path: next.pathname + next.search,
      headers,
      method: keeps ? asked.method : 'GET',
      body: keeps ? asked.body : undefined,
    };
  }
}

/** The error of an answer other than 200. */
async function refusalOf(response) {
  const parts = [];
  for await (const bytes of response.body) parts.push(bytes);
  const text = Buffer.concat(parts).toString();
  const { status, headers } = response;
  if (is('html-error-crash')) JSON.parse(text);
  const error = parses(text) ? JSON.parse(text)?.error : undefined;
  const message = typeof error?.message === 'string' ? error.message : `status ${status}`;
  return new Failure(is('reason-untold') ? `HTTP ${status}` : `${message} ${error?.metadata?.reason ?? ''}`.trim(), {
    status,
    reason: error?.metadata?.reason,
    retryable: error?.metadata?.retryable,
    wait: waitOf(headers),
  });
}

/** How long the service asks to wait, in ms; undefined where it asks nothing that can be understood. */
function waitOf({ 'retry-after': after, 'retry-after-ms': afterMs }) {
  if (is('retry-after-unread')) return undefined;
  const decimal = /^\d+(\.\d+)?$/;
  if (afterMs !== undefined && decimal.test(afterMs)) return Number(afterMs);
  if (after === undefined) return undefined;
  if (decimal.test(after)) return Number(after) * (is('retry-after-as-ms') ? 1 : 1000);
  if (is('retry-after-number-only')) return 0;
  const until = Date.parse(after) - Date.now();
  return until > 0 && /[a-z]/i.test(after) ? until : undefined;
}

const PASSING = [408, 429, 500, 502, 503, 504];

function waitBefore(error, attempt, retries) {
  if (error.aborted || error.late || error.silent) return undefined;
  if (is('never-retries') || (retries !== 'default' && !is('retries-unasked'))) return undefined;
  if (attempt >= (is('retries-on-and-on') ? 6 : 2)) return undefined;
  const { status, retryable, unanswered, silent, wait } = error;
  const passes = unanswered || silent || PASSING.includes(status) || (status === 409 && retryable === true);
  if (!passes && !(is('retries-refusals') && status >= 400)) return undefined;
  if (retryable === false && !is('retryable-unread', 'retries-refusals')) return undefined;
  if (wait > 120_000 && !is('waits-an-hour')) return undefined;
  return (wait ?? 100 * 2 ** attempt) * (is('retries-late') ? 1.5 : 1) + (is('retries-late') ? 200 : 0);
}

/** The answer 200 to what `make` makes for each attempt. */
async function ask(make, { retries, ...life }, accepts = (status) => status === 200) {
  for (let attempt = 0; ; attempt++) {
    let failure;
    let resends = false;
    try {
      const response = await follow(await make(attempt), life);
      if (is('status-unread') || accepts(response.status) || (is('any-2xx') && response.status < 300)) return response;
      failure = await refusalOf(response);
    } catch (error) {
      const { aborted, silent } = life.over.aborted ? life.over.reason : {};
      resends = attempt === 0 && ((aborted && is('abort-retried')) || (silent && is('silence-retried')));
      if (life.over.aborted && !resends) throw life.over.reason;
      failure = error;
    }
    const wait = waitBefore(failure, attempt, retries);
    if (wait === undefined && !resends) throw failure;
    if (is('abort-unheard-waiting')) await sleep(wait);
    else if (!resends) await sleep(wait, undefined, { signal: life.over }).catch(() => {});
    if (is('abort-unheard-waiting') || resends) life = { ...life, over: new AbortController().signal };
    else if (life.over.aborted) throw life.over.reason;
  }
}

// ---- What the lab asks for.

function written(body) {
  let sent = body;
  const { messages } = body;
  const with_ = (change) => ({ ...body, messages: messages.map(change) });
  if (is('unknown-fields-cut')) {
    const { session_id, approval_mode, ...known } = body;
    sent = known;
  }
  if (Array.isArray(messages)) {
    if (is('call-id-renamed'))
      sent = with_((one) => (one.tool_call_id ? { ...one, tool_call_id: `call_${one.tool_call_id.slice(-9)}` } : one));
    if (is('empty-message-cut')) sent = { ...body, messages: messages.filter(({ content }) => content) };
    if (is('tool-answer-parsed'))
      sent = with_((one) =>
        one.role === 'tool' && parses(one.content) ? { ...one, content: JSON.parse(one.content) } : one,
      );
  }
  if (is('pretty-body')) sent = Object.fromEntries(Object.entries(body).toReversed());
  const text = JSON.stringify(sent, null, is('pretty-body') ? 2 : undefined);
  return Buffer.from(
    is('ascii-body')
      ? text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      : text,
    is('latin1-body') ? 'latin1' : 'utf8',
  );
}

const headersOf = (given) => ({ ...given, 'content-type': 'application/json' });

/** A stream's events, one at a time; `[DONE]` ends a chat. */
async function streamed(asked, life, each) {
  const at = new URL(asked.layer === 'chat' ? `${asked.base_url.replace(/\/$/, '')}/chat/completions` : asked.url);
  const body = written(asked.body);
  const key = randomUUID();
  const make = (attempt) => ({
    origin: at.origin,
    path: at.pathname + at.search,
    method: 'POST',
    headers: { ...headersOf(asked.headers), 'idempotency-key': is('new-key-each-try') ? randomUUID() : key },
    body: is('retry-without-body') && attempt > 0 ? Buffer.alloc(0) : body,
    ca: asked.ca,
  });
  const response = await ask(make, { ...life, retries: asked.retries });
  const type = response.headers['content-type'] ?? '';
  const streams = is('type-exact')
    ? type === 'text/event-stream'
    : is('type-case')
      ? type.startsWith('text/event-stream')
      : /^text\/event-stream\s*(;|$)/i.test(type);
  if (!streams && !is('type-unread')) {
    response.close();
    throw new Failure(`no event stream: ${type}`, { status: response.status });
  }
  try {
    for await (const event of eventsOf(response)) if (each(event) === 'enough') break;
  } catch (error) {
    if (!is('broken-stream-resent') || life.over.aborted || life.resent || error.code !== 'ECONNRESET') throw error;
    await streamed(asked, { ...life, resent: true }, each);
  } finally {
    if (!is('stop-stays-open') && !life.over.aborted) setTimeout(response.close, is('closes-late') ? 250 : 0);
  }
}

async function chatted(asked, life, tell, chat) {
  let done = false;
  await streamed(asked, life, ({ event, data }) => {
    if (done && !is('reads-past-done')) return undefined;
    if (data === '[DONE]' || (is('done-in-text') && data.includes('[DONE]'))) {
      done = true;
      if (is('waits-for-close', 'reads-past-done')) return undefined;
      return 'enough';
    }
    if (data === '' || (event !== 'message' && !(parses(data) && JSON.parse(data)?.error))) return undefined;
    if (is('bad-json-skipped') && !parses(data)) return undefined;
    const chunk = JSON.parse(data);
    if (typeof chunk !== 'object' || chunk === null || Array.isArray(chunk))
      throw new Failure('a chunk that is no object');
    const enough = tell(chunk);
    chat.take(chunk);
    if (life.over.aborted) throw life.over.reason;
    if (is('stops-at-finish') && chat.finish !== null) {
      done = true;
      return 'enough';
    }
    if (is('stops-at-empty-text') && chunk.choices?.[0]?.delta?.content === '') {
      done = true;
      return 'enough';
    }
    return enough;
  }).catch((error) => {
    if (!done) throw error;
  });
  return done;
}

const hexOf = (bytes) => createHash('sha256').update(bytes).digest('hex');

function digestOf(body) {
  if (is('hash-of-compact') && parses(body)) return hexOf(JSON.stringify(JSON.parse(body)));
  if (is('hash-of-text')) return hexOf(body.toString());
  if (is('hash-upper')) return hexOf(body).toUpperCase();
  if (is('empty-unhashed') && body.length === 0) return '';
  return hexOf(body);
}

async function signed(asked, life) {
  const { request, sign_url, daemon_origin, daemon_token, headers: key } = asked;
  const body = Buffer.from(request.body_base64 ?? '', 'base64');
  const method = request.method.toUpperCase();
  const pathOnly = is('route-with-query') ? request.path : request.path.split('?')[0];
  const route = {
    method: is('route-lower') ? method.toLowerCase() : method,
    path: is('route-decoded') ? decodeURIComponent(pathOnly) : pathOnly,
  };
  const signAt = new URL(sign_url);
  const stays = !is('redirect-tells-proof');
  const prove = async () => {
    const text = JSON.stringify({ bodySha256: digestOf(body), ...(is('no-route') ? {} : { route }) });
    const headers = is('sign-without-type') ? key : headersOf(key);
    const sign = {
      origin: signAt.origin,
      path: signAt.pathname + signAt.search,
      method: 'POST',
      headers,
      body: Buffer.from(text),
      stays,
    };
    const response = await ask(() => sign, { ...life, retries: asked.retries });
    const parts = [];
    for await (const bytes of response.body) parts.push(bytes);
    const given = Object.entries(JSON.parse(Buffer.concat(parts)));
    const copied = given.map(([name, value]) => [
      name.toLowerCase(),
      is('signature-as-url') && name.includes('signature')
        ? value.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
        : is('timestamp-in-ms') && name.endsWith('timestamp')
          ? `${value}000`
          : is('user-encoded') && name.endsWith('user')
            ? encodeURIComponent(value)
            : value,
    ]);
    return Object.fromEntries(is('v1-only') ? copied.filter(([name]) => !/v2|nonce/.test(name)) : copied);
  };
  let kept;
  const make = async () => {
    let proof = is('proof-again') ? kept : undefined;
    if (is('takes-two-proofs')) await prove();
    try {
      proof ??= await prove();
    } catch (error) {
      if (!is('unsigned-if-refused') || !(error.status >= 400)) throw Object.assign(error, { unsigned: true });
      proof = {};
    }
    kept = proof;
    const callers = Object.fromEntries(
      Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const headers = is('callers-headers-win') ? { ...proof, ...callers } : { ...callers, ...proof };
    if (is('both-values'))
      for (const [name, value] of Object.entries(callers)) if (proof[name]) headers[name] = [value, proof[name]];
    headers.authorization = is('key-to-daemon') ? key.authorization : `Bearer ${daemon_token}`;
    const path = is('path-rewritten') ? new URL(request.path, daemon_origin).pathname : request.path;
    const sent = is('body-as-text')
      ? Buffer.from(body.toString())
      : is('body-compacted') && parses(body)
        ? Buffer.from(JSON.stringify(JSON.parse(body)))
        : body;
    return { origin: daemon_origin, path, method, headers, body: sent.length > 0 ? sent : undefined, stays };
  };
  const accepts = (status) => (status >= 200 && status < 300) || is('daemon-status-unread');
  const retries = is('new-proof-forever') ? 0 : asked.retries;
  for (let turn = 0; ; turn++)
    try {
      const response = await ask(make, { ...life, retries }, accepts);
      for await (const _ of response.body);
      return response.status;
    } catch (error) {
      if (!is('new-proof-forever') || error.status !== 401 || error.unsigned || turn > 8) throw error;
    }
}

function idleOf(limit, end) {
  if (limit === undefined || is('idle-unwatched')) return { start() {}, touch() {}, stop() {} };
  let timer;
  const start = () => {
    if (is('idle-is-total') && timer !== undefined) return;
    clearTimeout(timer);
    timer = setTimeout(end, limit);
  };
  const touch = () => (is('idle-is-total') ? undefined : timer?.refresh());
  return { start, touch, stop: () => clearTimeout(timer), headOnly: is('idle-for-head-only') };
}

async function play(asked, say) {
  const { run, layer, abort } = asked;
  const controller = new AbortController();
  const ends = (details) => controller.abort(Object.assign(new Failure('the call was ended'), details));
  const aborts = () => {
    ends({ aborted: true });
    if (abort.times === 2) ends({ aborted: true });
  };
  const over = controller.signal;
  setMaxListeners(0, over);
  const deadline = is('timeout-unread') ? undefined : setTimeout(() => ends({ late: true }), asked.timeout);
  const idle = idleOf(asked.idle_limit, () => ends({ silent: true }));
  // For the way whose keepalives are no life: bytes count only as events.
  const life = { over, idle: is('comments-are-silence') ? { ...idle, touch() {} } : idle };
  let waiting;
  if (abort?.when === 'ms') waiting = setTimeout(aborts, abort.ms);
  const events = [];
  let reported = 0;
  const tell = (event) => {
    reported += 1;
    if (is('comments-are-silence')) idle.touch();
    if (!is('tells-at-end')) say({ run, event });
    if (abort?.when === 'event' && abort.n === reported) aborts();
    return reported === asked.stop_after ? 'enough' : undefined;
  };
  const chat = new Chat();
  const came = () => (layer === 'chat' ? { chat: chat.reported(false) } : layer === 'sse' ? { events } : {});
  try {
    if (is('preconnects'))
      connect(Number(new URL(asked.base_url ?? asked.daemon_origin).port), '127.0.0.1')
        .unref()
        .on('error', () => {})
        .end();
    if (abort?.when === 'before' && !is('abort-before-unseen')) aborts();
    if (over.aborted) throw over.reason;
    if (layer === 'signing') return say({ run, outcome: 'complete', status: await signed(asked, life) });
    if (layer === 'sse') {
      await streamed(asked, life, (event) => {
        events.push(event);
        const enough = tell(event);
        if (over.aborted) throw over.reason;
        return enough;
      });
      return say({ run, outcome: 'complete', events });
    }
    const done = await chatted(asked, life, tell, chat);
    const stopped = asked.stop_after !== undefined && reported >= asked.stop_after;
    if (!stopped) chat.end(done);
    return say({ run, outcome: 'complete', chat: chat.reported(!stopped) });
  } catch (error) {
    if (error.aborted && !is('abort-is-error')) return say({ run, outcome: 'aborted', ...came() });
    const { message, status, code } = error;
    return say({
      run,
      outcome: 'error',
      error: { message, status, ...(code === undefined ? {} : { code }) },
      status: layer === 'signing' && !error.unsigned ? status : undefined,
      ...came(),
    });
  } finally {
    clearTimeout(deadline);
    clearTimeout(waiting);
    idle.stop();
  }
}

const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
say({
  adapter: `independent ${way}`,
  version: '1',
  layers: ['sse', 'chat', 'signing'],
  abilities: ['idle', 'abort', 'h2', ...(is('asks-no-coding') ? [] : ['br'])],
});
createInterface({ input: process.stdin })
  .on('line', (line) => (line.trim() === '' ? undefined : void play(JSON.parse(line), say)))
  .on('close', () => process.exit(0));
