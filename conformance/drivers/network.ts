import { request as plain } from 'node:http';
import { request as secure } from 'node:https';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Fetch } from '../probe/client.js';
import { ChunkedRequest } from '../probe/outgoing.js';

/** Addresses that need no name look-up: requests to them under another Host go to the same place. */
export const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** The machine's `fetch` sets Host by the URL; this sends the requested one. */
function asHost(request: Request): Promise<Response> {
  const url = new URL(request.url);
  const send = url.protocol === 'https:' ? secure : plain;
  return new Promise((resolve, reject) => {
    const outgoing = send(
      url,
      { method: request.method, headers: Object.fromEntries(request.headers), signal: request.signal, agent: false },
      (incoming) => {
        const headers = new Headers();
        for (const [name, value] of Object.entries(incoming.headers)) {
          for (const one of Array.isArray(value) ? value : [value ?? '']) headers.append(name, one);
        }
        const status = incoming.statusCode ?? 0;
        const empty = status === 204 || status === 304 || request.method === 'HEAD';
        if (empty) incoming.resume();
        resolve(
          new Response(empty ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array>), { status, headers }),
        );
      },
    );
    outgoing.on('error', reject);
    request.arrayBuffer().then((bytes) => {
      const body = Buffer.from(bytes);
      // Node frames the body of a DELETE only on request: otherwise the server would see none.
      if (body.length > 0 && !outgoing.hasHeader('transfer-encoding'))
        outgoing.setHeader('content-length', body.length);
      outgoing.end(body);
    }, reject);
  });
}

/**
 * undici's `fetch` rather than the machine's: that of Node 20 leaves the connection of an answer with more than five
 * codings to nobody, and its end ended the process. `dispatcher` is the way through a proxy.
 */
export async function undiciFetch(request: Request, dispatcher?: Dispatcher): Promise<Response> {
  const { fetch } = await import('undici');
  const { method, headers, signal, redirect, body } = request;
  // A body that was whole is sent with its length.
  const sent =
    request instanceof ChunkedRequest ? { body, duplex: 'half' as const } : { body: await request.arrayBuffer() };
  const response = await fetch(request.url, {
    method,
    headers: [...headers],
    signal,
    redirect,
    ...(body === null ? {} : sent),
    ...(dispatcher === undefined ? {} : { dispatcher }),
  });
  return response as unknown as Response;
}

/** `fetch` over the network. The caller refuses redirects. */
export const networkFetch: Fetch = (request) => (request.headers.has('host') ? asHost(request) : undiciFetch(request));
