import * as http from 'node:http';
import * as https from 'node:https';
import { hostDelay } from '../clock/host.js';
import { given } from '../contract/given.js';
import { errorResponse, type PlainResponse } from '../http/response.js';
import { Capture, type Room, Share } from './capture.js';
import type { PassedExchange, RawRequest } from './exchange.js';
import { joined, offered, passedOn, transferCoding } from './headers.js';
import { fromVersion, originForm } from './request-target.js';

/** Observes each exchange. `Note` is the observer's own note on it. */
export interface Observer<Note> {
  /** Headers of requests that are for the observer alone. */
  readonly headers?: readonly string[];
  /** A request came. Throws if it cannot be recorded; it is then refused, and nothing is passed on. */
  begin(request: http.IncomingMessage): Note;
  /** All of a request came. The deployment does not have the end of it yet. */
  asked?(request: RawRequest, note: Note): void;
  /** An exchange ended. `raw.n` counts requests in the order in which they came. Resolves when it is written. */
  end(raw: PassedExchange, note: Note): Promise<void>;
  /** An exchange is not recorded, for this `problem`. The path has no query. */
  failed(event: 'unreachable' | 'not_recorded', method: string, path: string, problem: string): void;
  /** An exchange is over, recorded or not. */
  over?(note: Note): void;
}

interface PassOptions<Note> {
  /** The deployment: its base URL, which ends in `/api/v1`. */
  readonly target: URL;
  readonly agent: http.Agent;
  /** ms since the recording began. */
  readonly now: () => number;
  readonly observer: Observer<Note>;
  readonly room: Room;
}

/** Answers a request without the deployment. Returns the answer. */
export function answerHere(response: http.ServerResponse, { status, headers, body }: PlainResponse) {
  const bytes = Buffer.from(String(body ?? ''));
  if (response.headersSent) response.destroy();
  else response.writeHead(status, { ...headers, 'content-length': bytes.length }).end(bytes);
  return { status, headers, bytes };
}

/** Refuses a request without the deployment. Returns the answer. */
export const refuse = (response: http.ServerResponse, status: number, message: string, reason: string) =>
  answerHere(response, errorResponse({ status, message, reason, retryable: false }, { detail: message }));

/** How long to wait for the rest of a request after its answer has ended, in ms of real time. */
const REST_OF_REQUEST = 2_000;

/** How many bytes of informational answers (1xx) may wait for a client that does not read. */
const ANNOUNCEMENTS = 65_536;

/** ms, exact enough to order events. */
const toMicroseconds = (ms: number) => Math.round(ms * 1_000) / 1_000;

/** Characters that no header and no reason phrase can have. */
const CONTROL = /[^\t\x20-\x7e\x80-\xff]/;

/** The error of a failed connection, with advice for TLS. */
function problemOf(error: NodeJS.ErrnoException): string {
  const certificate = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/.test(error.code ?? '');
  const advice = certificate ? '; for a certificate of your own authority set NODE_EXTRA_CA_CERTS' : '';
  return `${error.message || error.code || 'the connection failed'}${advice}`;
}

/** Why an answer cannot be passed on; undefined if it can. */
function unpassable({ statusCode = 0, statusMessage = '', headers }: http.IncomingMessage): string | undefined {
  if (statusCode < 200 || statusCode > 599) return `its status is ${String(statusCode).padStart(3, '0')}`;
  if (CONTROL.test(statusMessage)) return 'its reason phrase holds a control character';
  const coding = transferCoding(headers);
  return coding === undefined ? undefined : `its transfer coding is ${JSON.stringify(coding)}`;
}

/** Methods whose requests have a body unless they say otherwise. Node would send an empty one in chunks. */
const HAVE_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** The headers of a request as they go to the deployment. */
function outgoing(
  target: URL,
  { rawHeaders, headers, method = '' }: http.IncomingMessage,
  dropped: readonly string[] = [],
): string[] {
  const { te, expect, 'transfer-encoding': coding, 'accept-encoding': accepted } = headers;
  const sent = passedOn(rawHeaders, ['host', 'accept-encoding', ...dropped]);
  sent.push('Host', target.host);
  if (accepted !== undefined) sent.push('Accept-Encoding', offered(accepted.toString()));
  if (coding !== undefined) sent.push('Transfer-Encoding', 'chunked');
  else if (headers['content-length'] === undefined && HAVE_BODY.has(method)) sent.push('Content-Length', '0');
  if (te?.includes('trailers')) sent.push('TE', 'trailers');
  if (expect !== undefined) sent.push('Expect', expect);
  return sent;
}

interface Passing<Note> {
  readonly n: number;
  readonly note: Note;
  readonly request: http.IncomingMessage;
  readonly response: http.ServerResponse;
}

/** One exchange on its way through. An error in it ends it alone. */
export class Passage<Note> {
  /** Resolves when the exchange is over, and recorded if it must be. */
  readonly ended: Promise<void>;
  readonly #share: Share;
  readonly #sent: Capture;
  #answered: Capture;
  #answer: Pick<PassedExchange, 'status' | 'headers' | 'notPassedOn'> = { status: null, headers: {} };
  readonly #came: number;
  readonly #url: string;
  readonly #requestRead: Promise<void>;
  #read = false;
  #upstream: http.ClientRequest | undefined;
  /** Whether the exchange opened a connection of its own. If that breaks, the break is the deployment's answer. */
  #connected = false;
  #over = false;
  #resolve = () => {};

  constructor(
    private readonly options: PassOptions<Note>,
    private readonly passing: Passing<Note>,
  ) {
    const { request } = passing;
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#share = new Share(options.room);
    this.#sent = new Capture(this.#share);
    this.#answered = new Capture(this.#share);
    this.#came = options.now();
    this.#url = originForm(request.url ?? '/');
    this.#requestRead = new Promise((resolve) => {
      const read = () => {
        this.#read = true;
        resolve();
      };
      request.once('end', read).once('close', read);
    });
    this.#watchClient();
    this.#ask();
  }

  /** A handler of events: an error in it belongs to this exchange alone. */
  #safely<A extends unknown[]>(handle: (...args: A) => void): (...args: A) => void {
    return (...args) => {
      try {
        handle(...args);
      } catch (error) {
        this.#fail('not_recorded', (error as Error).message);
        this.#upstream?.destroy();
        this.passing.response.destroy();
      }
    };
  }

  #watchClient(): void {
    const { request, response } = this.passing;
    request.on('error', () => {});
    response.on('error', () => {});
    response.on('close', () => {
      if (response.writableFinished) return;
      this.#end(this.#answer.status === null ? undefined : 'client');
      this.#upstream?.destroy();
    });
  }

  #ask(): void {
    const { target, agent, observer } = this.options;
    const { request, response } = this.passing;
    const secure = target.protocol === 'https:';
    let asked: http.ClientRequest;
    try {
      asked = (secure ? https : http).request({
        protocol: target.protocol,
        hostname: target.hostname.replace(/^\[|\]$/g, ''),
        port: target.port || (secure ? 443 : 80),
        method: request.method ?? 'GET',
        path: this.#url,
        headers: outgoing(target, request, observer.headers) as unknown as http.OutgoingHttpHeaders,
        setHost: false,
        agent,
      });
    } catch (error) {
      this.#end(undefined);
      refuse(response, 400, `The request cannot be passed on: ${(error as Error).message}`, 'not_passable');
      return;
    }
    this.#upstream = asked;
    asked.setNoDelay(true);
    asked.on('socket', (socket) => {
      if (asked.reusedSocket) return;
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        this.#connected = true;
      });
    });
    const awaited = request.headers.expect?.toLowerCase() === '100-continue';
    const goOn = () => {
      if (awaited && !response.headersSent) response.writeContinue();
    };
    asked.once('continue', this.#safely(goOn));
    const announce = (info: http.InformationEvent) => this.#announce(info);
    const passAnswer = (incoming: http.IncomingMessage) => this.#passAnswer(incoming);
    const failed = (error: Error) => this.#upstreamFailed(error);
    asked.on('information', this.#safely(announce));
    asked.on('upgrade', (_incoming, socket) => {
      socket.destroy();
      this.#answerInstead('its status is 101');
    });
    asked.on('error', this.#safely(failed));
    asked.on('response', this.#safely(passAnswer));
    this.#passRequest(asked);
  }

  /** Passes on the body of one side, and its trailers; `over` ends it. */
  #passOn(from: http.IncomingMessage, to: http.OutgoingMessage, kept: Capture, over: () => void): void {
    const pass = (bytes: Buffer) => {
      kept.add(this.#elapsed(), bytes);
      // The rest of a request whose answer has ended is read for the recording alone.
      if (to.destroyed || to.write(bytes)) return;
      from.pause();
      to.once('drain', () => from.resume());
    };
    const end = () => {
      if (passedOn(from.rawTrailers).length > 0) to.addTrailers(joined(from.trailers));
      over();
    };
    from.on('data', this.#safely(pass));
    from.on('end', this.#safely(end));
  }

  #passRequest(asked: http.ClientRequest): void {
    const { request, note } = this.passing;
    this.#passOn(request, asked, this.#sent, () => {
      if (asked.destroyed) return;
      this.options.observer.asked?.(this.#request(), note);
      asked.end();
    });
    asked.on('close', () => request.resume());
  }

  /** Passes on any informational answer (1xx); Node itself can send only a few. */
  #announce({ statusCode, statusMessage, rawHeaders }: http.InformationEvent): void {
    const { request, response } = this.passing;
    const { socket } = response;
    // Node reports 100 as permission to go on, and 101 as an upgrade.
    if (statusCode <= 101 || request.httpVersion === '1.0') return;
    if (response.headersSent || !socket || socket.writableLength > ANNOUNCEMENTS) return;
    const headers = passedOn(rawHeaders);
    const lines = headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1]}`] : []));
    const reason = CONTROL.test(statusMessage) ? '' : statusMessage;
    socket.write([`HTTP/1.1 ${statusCode} ${reason}`, ...lines, '', ''].join('\r\n'), 'latin1');
  }

  #passAnswer(incoming: http.IncomingMessage): void {
    const { response } = this.passing;
    incoming.on('error', () => {});
    const problem = unpassable(incoming);
    if (problem !== undefined) {
      this.#answerInstead(problem);
      return;
    }
    const { statusCode = 0, statusMessage, rawHeaders } = incoming;
    try {
      response.writeHead(statusCode, statusMessage, passedOn(rawHeaders));
    } catch (error) {
      this.#answerInstead((error as Error).message);
      return;
    }
    this.#answer = { status: statusCode, headers: joined(incoming.headers) };
    // Sends the head byte for byte. `flushHeaders` would send it as UTF-8.
    response.write('', 'latin1');
    this.#passOn(incoming, response, this.#answered, () => response.end(() => this.#end('complete')));
    incoming.on('aborted', () => this.#breakOff());
  }

  /** The connection to the deployment failed, or its answer is not HTTP. */
  #upstreamFailed(error: NodeJS.ErrnoException): void {
    // An answer that came before the body was read to its end (413) is valid, whatever happens to the rest.
    if (this.#over || this.#answer.status !== null) return;
    if (error.code?.startsWith('HPE_')) {
      this.#answerInstead(`it is not HTTP (${error.message})`);
    } else if (this.#connected) {
      // A reused connection may have been closed before this request: its break is no answer.
      this.#breakOff();
    } else {
      const problem = problemOf(error);
      this.#fail('unreachable', problem);
      refuse(this.passing.response, 502, `The deployment cannot be reached: ${problem}`, 'upstream_unavailable');
    }
  }

  /** Answers 502 in place of the deployment's answer, and records that. */
  #answerInstead(notPassedOn: string): void {
    const { response } = this.passing;
    this.#upstream?.destroy();
    if (this.#over || response.headersSent) return;
    const message = `The deployment's answer cannot be passed on: ${notPassedOn}`;
    const { status, headers, bytes } = refuse(response, 502, message, 'upstream_invalid');
    this.#answer = { status, headers, notPassedOn };
    this.#answered = new Capture(this.#share);
    this.#answered.add(this.#elapsed(), bytes);
    this.#end('complete');
  }

  /** Breaks off the connection to the client, after it got everything that came. */
  #breakOff(): void {
    const { response } = this.passing;
    this.#end('broken');
    if (response.socket) response.socket.destroySoon();
    else response.destroy();
  }

  #elapsed(): number {
    return toMicroseconds(this.options.now() - this.#came);
  }

  /** Ends the exchange without recording it, and says why. */
  #fail(event: Parameters<Observer<Note>['failed']>[0], problem: string): void {
    this.options.observer.failed(event, this.passing.request.method ?? '', this.#url.split('?', 1)[0] ?? '', problem);
    this.#end(undefined);
  }

  /** Ends the exchange, and records it once its request is read. Without `how` it is not recorded. */
  #end(how: PassedExchange['ended'] | undefined): void {
    if (this.#over) return;
    this.#over = true;
    void this.#record(how)
      .catch((error: Error) => this.#fail('not_recorded', error.message))
      .finally(() => {
        this.#share.end();
        this.#resolve();
      });
  }

  /** Waits a while for the rest of the request. Node does not report when the client of an answered request leaves. */
  async #restOfRequest(): Promise<void> {
    const { socket } = this.passing.request;
    let left = () => {};
    const gone = new Promise<void>((resolve) => {
      left = resolve;
      socket.once('close', left);
    });
    await Promise.race([this.#requestRead, gone, hostDelay(REST_OF_REQUEST)]);
    socket.off('close', left);
  }

  /** The part of the request that came and is kept. */
  #request(): RawRequest {
    const { n, request } = this.passing;
    return {
      n,
      at: toMicroseconds(this.#came),
      method: request.method ?? 'GET',
      path: fromVersion(this.#url),
      requestHeaders: joined(request.headers),
      requestBody: this.#sent.bytes,
    };
  }

  async #record(how: PassedExchange['ended'] | undefined): Promise<void> {
    if (how === undefined) return;
    if (!this.#read) await this.#restOfRequest();
    const late = this.#read ? undefined : 'the rest had not come 2 s after its answer had ended';
    const missing = this.#sent.cut ?? late;
    const { writes, cut, length } = this.#answered;
    const raw: PassedExchange = {
      ...this.#request(),
      ...this.#answer,
      writes,
      ended: how,
      leftOut: given({
        request: missing === undefined ? undefined : { length: this.#sent.length, why: missing },
        answer: cut === undefined ? undefined : { length, why: cut },
      }),
    };
    await this.options.observer.end(raw, this.passing.note);
  }
}
