import type { Operation } from '../../../emulator/contract/operation.js';

/** The operation of a request, by its path and method in the published interface. */
export interface Exchange {
  readonly request: Request;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly area: 'interns' | 'vault' | 'scim' | 'control' | 'none';
  /** Undefined where the path is known and the method is not, too. */
  readonly operation: Operation | undefined;
  /** Whether the path is one of the interface. */
  readonly known: boolean;
  readonly internId?: string;
  readonly mappingId?: string;
  /** Of a secret in the path. */
  readonly secretName?: string;
  /** The deprecated paths of the daemon. */
  readonly alias: boolean;
}

export type { Operation };

/** The exchanges that a mutation is about. */
export type Of = Operation | readonly Operation[] | ((exchange: Exchange) => boolean);

export const BASE = '/api/v1';
export const CONTROL = '/_emulator';

const PATHS: readonly { path: RegExp; methods: Readonly<Record<string, Operation>>; alias?: true }[] = [
  { path: /^\/interns$/, methods: { GET: 'list', POST: 'create' } },
  { path: /^\/interns\/[^/]+$/, methods: { GET: 'get', PATCH: 'update', DELETE: 'delete' } },
  { path: /^\/interns\/[^/]+\/provision$/, methods: { POST: 'provision' } },
  { path: /^\/interns\/[^/]+\/suspend$/, methods: { POST: 'suspend' } },
  { path: /^\/interns\/[^/]+\/chat\/completions$/, methods: { POST: 'chat' } },
  { path: /^\/interns\/[^/]+\/invoke$/, methods: { POST: 'invoke' } },
  { path: /^\/interns\/[^/]+\/daemon$/, methods: { GET: 'daemon' } },
  { path: /^\/interns\/[^/]+\/daemon\/sign$/, methods: { POST: 'sign' } },
  { path: /^\/interns\/[^/]+\/daemon-access$/, methods: { GET: 'daemon' }, alias: true },
  { path: /^\/interns\/[^/]+\/daemon-access\/sign$/, methods: { POST: 'sign' }, alias: true },
  { path: /^\/scim\/group-mappings$/, methods: { GET: 'scim', POST: 'scim' } },
  { path: /^\/scim\/group-mappings\/[^/]+$/, methods: { GET: 'scim', PATCH: 'scim', DELETE: 'scim' } },
  { path: /^\/scim\/groups$/, methods: { GET: 'scim' } },
  { path: /^\/scim\/sync-jobs$/, methods: { POST: 'scim' } },
  { path: /^\/scim\/sync-jobs\/[^/]+$/, methods: { GET: 'scim' } },
  { path: /^\/vault(\/interns\/[^/]+)?\/secrets$/, methods: { GET: 'vault-list' } },
  { path: /^\/vault\/interns\/[^/]+\/secrets\/copy$/, methods: { POST: 'vault-copy' } },
  { path: /^\/vault(\/interns\/[^/]+)?\/secrets\/[^/]+$/, methods: { PUT: 'vault-store', DELETE: 'vault-delete' } },
];

export function exchangeOf(request: Request): Exchange {
  const { pathname, searchParams } = new URL(request.url);
  const below = pathname.startsWith(`${BASE}/`) ? pathname.slice(BASE.length) : undefined;
  const row = below === undefined ? undefined : PATHS.find(({ path }) => path.test(below));
  const [, first, id] = below?.split('/') ?? [];
  const area =
    first === 'interns' || first === 'vault' || first === 'scim'
      ? first
      : pathname.startsWith(`${CONTROL}/`)
        ? 'control'
        : 'none';
  const mapping = /^\/scim\/group-mappings\/([^/]+)$/.exec(below ?? '')?.[1];
  const [, ofVault] = /^\/vault\/interns\/([^/]+)\//.exec(below ?? '') ?? [];
  const secret = row !== undefined && first === 'vault' ? /\/secrets\/([^/]+)$/.exec(below ?? '')?.[1] : undefined;
  return {
    request,
    path: area === 'control' ? pathname.slice(CONTROL.length) : (below ?? pathname),
    query: searchParams,
    area,
    operation: row?.methods[request.method === 'HEAD' ? 'GET' : request.method],
    known: row !== undefined,
    alias: row?.alias === true,
    ...(first === 'interns' && row && id !== undefined ? { internId: decodeURIComponent(id) } : {}),
    ...(ofVault === undefined ? {} : { internId: decodeURIComponent(ofVault) }),
    ...(secret === undefined ? {} : { secretName: decodeURIComponent(secret) }),
    ...(mapping === undefined ? {} : { mappingId: decodeURIComponent(mapping) }),
  };
}

export const isOf = (of: Of, exchange: Exchange): boolean =>
  typeof of === 'function'
    ? of(exchange)
    : exchange.operation !== undefined &&
      (typeof of === 'string' ? exchange.operation === of : of.includes(exchange.operation));

export type Json = Record<string, unknown>;
export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** JSON of a text; undefined if it is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The JSON body of a request, which stays readable. */
export const bodyOf = async (request: Request): Promise<unknown> =>
  request.body ? jsonOf(await request.clone().text()) : undefined;

/** The bearer token of a request. */
export const tokenOf = (request: Request): string | undefined =>
  /^Bearer +(\S+)/i.exec(request.headers.get('authorization') ?? '')?.[1];

/** A request with some of it replaced. */
export function withRequest(
  request: Request,
  change: { url?: string; body?: string | undefined; headers?: Headers; method?: string },
): Request {
  const headers = new Headers(change.headers ?? request.headers);
  const { signal } = request;
  const method = change.method ?? request.method;
  if (!('body' in change)) {
    if (change.url === undefined && method === request.method) return new Request(request, { headers });
    const body = request.body;
    return new Request(change.url ?? request.url, {
      method,
      headers,
      signal,
      ...(body ? { body, duplex: 'half' as const } : {}),
    });
  }
  headers.delete('content-length');
  const { body } = change;
  return new Request(change.url ?? request.url, { method, headers, signal, ...(body === undefined ? {} : { body }) });
}

export const withHeader = (request: Request, name: string, value: string | undefined): Request => {
  const headers = new Headers(request.headers);
  if (value === undefined) headers.delete(name);
  else headers.set(name, value);
  return withRequest(request, { headers });
};

/** The operations whose body must be declared as JSON. */
export const TYPED: readonly Operation[] = ['create', 'update', 'delete', 'provision', 'suspend', 'sign'];

export const isJsonType = (request: Request): boolean =>
  /^application\/json *(;|$)/i.test(request.headers.get('content-type') ?? '');
