import { Refusal } from '../contract/errors.js';
import type { Caller } from '../domain/caller.js';
import type { ReceivedRequest } from '../requests/received-request.js';
import type { Area, Exchange, Resource } from './exchange.js';
import type { Route } from './route.js';

const BEARER = /^Bearer +([^\s]+) *$/i;

const bearer = (header: string | null): string | undefined => (header === null ? undefined : BEARER.exec(header)?.[1]);

/** Says why a credential opens nothing here. Never quotes it (AUTH-9). */
function wrongCredential(header: string | null, caller: Caller | undefined): string {
  if (caller) return caller.kind === 'management' ? 'a management key, for SCIM only' : 'not a management key';
  if (header === null) return 'Authorization: missing';
  return bearer(header) === undefined ? 'Authorization: expected Bearer and a key' : 'Authorization: an unknown key';
}

/** The methods a path answers to: HEAD goes with GET, OPTIONS with all (BASE-5). */
export const allow = (routes: readonly Route[]): string => {
  const methods = routes.map((row) => row.method as string);
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
};

export const notFound = (area: Area, wrong: string) =>
  new Refusal(area === 'scim' ? 'scim_not_found' : area === 'none' ? 'path_not_found' : 'not_found', { wrong });

// A management key and the other credentials open different areas (AUTH-6).
const admitted = (caller: Caller | undefined, area: Area, request: ReceivedRequest): Caller => {
  if (!caller || (caller.kind === 'management') !== (area === 'scim'))
    throw new Refusal(area === 'scim' ? 'scim_unauthorized' : 'unauthorized', {
      wrong: wrongCredential(request.headers.get('authorization'), caller),
    });
  return caller;
};
/** The caller of a request, by its bearer token (AUTH-1, AUTH-6). Throws the 401. */
export const callerOf = (
  exchange: Exchange,
  resolve: (token: string) => Caller | undefined | Promise<Caller | undefined>,
): Caller | Promise<Caller> => {
  const { request, resource } = exchange;
  const token = bearer(exchange.header('authorization'));
  const found = token === undefined ? undefined : resolve(token);
  return found instanceof Promise
    ? exchange.waiting.race(found).then((caller) => admitted(caller, resource.area, request))
    : admitted(found, resource.area, request);
};

export const rowOf = ({ routes }: Resource, method: string): Route | undefined =>
  routes.find((row) => row.method === method || (method === 'HEAD' && row.method === 'GET'));

/** The row for a method; throws the 405 (BASE-5). */
export const rowFor = (resource: Resource, method: string): Route => {
  const found = rowOf(resource, method);
  if (found) return found;
  throw new Refusal('method_not_allowed', {
    wrong: `${method} is not one of ${allow(resource.routes)}`,
    headers: { allow: allow(resource.routes) },
  });
};

/** Throws the 403 for a credential of another kind than the route needs (AUTH-7, AUTH-8). */
export const authorizeKind = (row: Route, caller: Caller) => {
  const refuse = (wrong: string) => new Refusal('personal_identity_required', { wrong });
  if (row.credential === 'oauth' && caller.kind !== 'oauth') throw refuse('an API key, but this needs an OAuth token');
  if (row.credential === 'oauth_vault' && (caller.kind !== 'oauth' || caller.grant !== 'full'))
    throw refuse(
      `${caller.kind === 'oauth' ? 'the grant lacks' : 'an API key, but this needs an OAuth token with'} vault:read`,
    );
};
