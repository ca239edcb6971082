import * as http from 'node:http';
import * as https from 'node:https';
import { bind } from '../contract/bind.js';
import type { PlainResponse } from '../http/response.js';
import { type Limits, Room } from './capture.js';
import { transferCoding } from './headers.js';
import { answerHere, type Observer, Passage, refuse } from './passage.js';
import { originForm } from './request-target.js';

export interface ProxyOptions<Note> {
  /** The deployment: its base URL, which ends in `/api/v1`. */
  readonly target: URL;
  readonly host: string;
  readonly port: number;
  /** ms, from a source that only goes forward. */
  readonly now: () => number;
  readonly limits: Limits;
  /** Refuses a request before anything else looks at it; undefined lets it through. */
  admit(request: http.IncomingMessage): PlainResponse | undefined;
  readonly observer: Observer<Note>;
}

export interface RecordingProxy {
  /** The address of the deployment's interface here: the same path, on this machine. */
  readonly baseUrl: string;
  /**
   * Stops listening, cuts exchanges in progress, and resolves when all of them are recorded. Exchanges that end before
   * `patience` are not cut.
   */
  close(patience?: Promise<unknown>): Promise<void>;
}

/** Why a request cannot be recorded, and the status that says so; undefined if it can. */
function unrecordable({ url = '', headers }: http.IncomingMessage): { status: number; message: string } | undefined {
  const target = originForm(url);
  if (!target.startsWith('/'))
    return { status: 400, message: `A request for ${JSON.stringify(target)} cannot be recorded` };
  const coding = transferCoding(headers);
  if (coding === undefined) return undefined;
  return { status: 501, message: `The transfer coding ${JSON.stringify(coding)} cannot be recorded` };
}

/**
 * A proxy of one deployment that passes everything on unchanged, in both directions. If one side disconnects, so does the
 * other. An answer that cannot be passed on becomes a 502 with the reason. Nothing that happens in one exchange ends another.
 * It verifies the deployment's TLS.
 *
 * @throws Error with Node's `code` if the port is not available
 */
export async function startProxy<Note>(options: ProxyOptions<Note>): Promise<RecordingProxy> {
  const { target, now, observer, admit } = options;
  const agent = new (target.protocol === 'https:' ? https : http).Agent({ keepAlive: true });
  const began = now();
  const passing = { target, agent, now: () => now() - began, observer, room: new Room(options.limits) };
  let count = 0;
  const pass = async (request: http.IncomingMessage, response: http.ServerResponse) => {
    const n = ++count;
    const refused = unrecordable(request);
    if (refused) return void refuse(response, refused.status, refused.message, 'not_recordable');
    let note: Note;
    try {
      note = observer.begin(request);
    } catch (error) {
      return void refuse(response, 409, (error as Error).message, 'not_recordable');
    }
    await new Passage(passing, { n, note, request, response }).ended;
    observer.over?.(note);
  };
  const under = new Set<Promise<void>>();

  let closing = false;
  const handle = (request: http.IncomingMessage, response: http.ServerResponse) => {
    if (closing) return void request.socket.destroy();
    const refused = admit(request);
    if (refused) return void answerHere(response, refused);
    const passed = pass(request, response).catch((error: Error) => {
      observer.failed('not_recorded', request.method ?? '', '', error.message);
      response.destroy();
    });
    under.add(passed);
    void passed.finally(() => under.delete(passed));
  };

  const server = http.createServer({ requireHostHeader: false, keepAliveTimeout: 60_000 }, handle);
  server.on('checkContinue', handle);
  server.on('connection', (socket) => socket.setNoDelay(true));
  // A question may wait for its answer for minutes, and a body may come slowly: the deployment decides what is too
  // long.
  server.requestTimeout = 0;
  server.headersTimeout = 0;
  const port = await bind(server, options.port, options.host);
  const name = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    baseUrl: `http://${name}:${port}${target.pathname.replace(/\/$/, '')}`,
    async close(patience = Promise.resolve()) {
      closing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await Promise.race([patience, Promise.all(under)]);
      server.closeAllConnections();
      await closed;
      agent.destroy();
      await Promise.all(under);
    },
  };
}
