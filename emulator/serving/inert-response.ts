import type { IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http';
import { INERT_HEADERS } from '../contract/inert.js';
import { writeAtOnce } from '../http/write-stream.js';

// Without an import, as listen.ts has it.
const { ServerResponse } = process.getBuiltinModule('node:http');

type Given = OutgoingHttpHeaders | OutgoingHttpHeader[];

const INERT = Object.entries(INERT_HEADERS);

/**
 * A response that is inert in a browser ({@link INERT_HEADERS}) unless its maker gives it a policy of its own, by a name
 * in lower case. All of a listener's responses are, so that future answers are inert too. A list of names and values
 * takes Node a tenth of the time that the same headers take which are set one by one, or copied into an object.
 */
export class InertResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  override writeHead(status: number, reason?: string | Given, headers?: Given): this {
    const given = (typeof reason === 'string' ? headers : reason) ?? {};
    if (Array.isArray(given) || this.getHeaderNames().length > 0) {
      for (const [name, value] of INERT) if (!this.hasHeader(name)) this.setHeader(name, value);
      return typeof reason === 'string' ? super.writeHead(status, reason, given) : super.writeHead(status, given);
    }
    const list: OutgoingHttpHeader[] = [];
    for (const [name, value] of INERT) if (given[name] === undefined) list.push(name, value);
    for (const name in given) list.push(name, given[name] ?? '');
    return typeof reason === 'string' ? super.writeHead(status, reason, list) : super.writeHead(status, list);
  }

  /**
   * A whole text leaves in one write. Node itself adds an empty one that tells it of the end, and two are gathered by a
   * slower system call: a quarter of the time of a small answer.
   */
  override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
    const whole = typeof chunk === 'string' && chunk !== '' && encoding === undefined && callback === undefined;
    if (!whole || !this.socket || !this.headersSent || this.chunkedEncoding || this.writableEnded)
      return super.end(chunk, encoding as BufferEncoding, callback as () => void);
    writeAtOnce(this, chunk);
    return super.end();
  }
}
