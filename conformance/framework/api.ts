import type { Answer } from '../probe/client.js';
import { type Send, internPath as to } from '../probe/request.js';
import type { Api, SendOptions } from './context.js';

/** The operations of the interface over a function that sends. */
export function createApi(send: (send: Send) => Promise<Answer>): Api {
  const plain = (method: string, path: string, options?: SendOptions) => send({ ...options, method, path });
  const withBody = (method: string, path: string, json: unknown, options?: SendOptions) =>
    send({ ...options, method, path, ...(json === undefined ? {} : { json }) });
  return {
    list: (query, options) => send({ ...options, path: '/interns', ...(query === undefined ? {} : { query }) }),
    create: (body, options) => withBody('POST', '/interns', body, options),
    get: (id, options) => plain('GET', to(id), options),
    update: (id, body, options) => withBody('PATCH', to(id), body, options),
    remove: (id, body, options) => withBody('DELETE', to(id), body, options),
    provision: (id, options) => plain('POST', to(id, '/provision'), options),
    suspend: (id, options) => plain('POST', to(id, '/suspend'), options),
    invoke: (id, body, options) => withBody('POST', to(id, '/invoke'), body, options),
    daemon: (id, options) => plain('GET', to(id, '/daemon'), options),
    sign: (id, body, options) => withBody('POST', to(id, '/daemon/sign'), body, options),
    scim: (id, options) => plain('GET', `/scim/group-mappings/${encodeURIComponent(id)}`, options),
  };
}
