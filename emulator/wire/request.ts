import { type Operation, operationOf } from '../contract/operation.js';
import { jsonOf } from './json.js';

/** The JSON body of a request, which stays readable. */
export const bodyOf = async (request: Request): Promise<unknown> =>
  request.body ? jsonOf(await request.clone().text()) : undefined;

/** The bearer token of a request. */
export const tokenOf = (request: Pick<Request, 'headers'>): string | undefined =>
  /^Bearer +(\S+)/i.exec(request.headers.get('authorization') ?? '')?.[1];

/** The path of a request below the base of the interface. */
export const pathOf = (request: Request): string => new URL(request.url).pathname.replace(/^.*\/api\/v1/, '');

/** The operation of a request, the intern in its path, and its token. */
export function about(request: Request) {
  const path = pathOf(request);
  const [, id] = /^\/interns\/([^/]+)/.exec(path) ?? [];
  return { operation: operationOf(request.method, path), id, token: tokenOf(request) };
}

/** Whether an operation sends a prompt, or the answer to a question. */
export const isPrompt = (operation: Operation | undefined): boolean => operation === 'chat' || operation === 'invoke';

interface Other {
  readonly url?: string;
  readonly method?: string;
  /** Undefined for none. */
  readonly body?: string | undefined;
  /** By their names; undefined leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** The same request, with some of it replaced. */
export function withRequest(request: Request, other: Other): Request {
  const { url = request.url, method = request.method } = other;
  const { signal } = request;
  const headers = new Headers(request.headers);
  for (const [name, value] of Object.entries(other.headers ?? {}))
    if (value === undefined) headers.delete(name);
    else headers.set(name, value);
  if ('body' in other) headers.delete('content-length');
  const body = 'body' in other ? other.body : request.body;
  return new Request(url, { method, headers, signal, ...(body == null ? {} : { body, duplex: 'half' as const }) });
}
