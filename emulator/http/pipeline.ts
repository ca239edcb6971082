import type { Scope } from '../clock/scope.js';
import { Refusal } from '../contract/errors.js';
import { CONSOLE, givenRequestId, isOfConsole } from '../contract/request-id.js';
import type { Caller } from '../domain/caller.js';
import type { ReceivedRequest } from '../requests/received-request.js';
import { type AcceptDeps, createAccept } from './accept.js';
import { allow, authorizeKind, callerOf, notFound, rowFor, rowOf } from './authorize.js';
import type { Cors } from './cors.js';
import { DropConnection, Exchange, headerOf, type NodeBindings, type Resource } from './exchange.js';
import { createFailure, type FailureDeps } from './failure.js';
import type { JournalDraft } from './journal-entry.js';
import type { RequestIds } from './request-ids.js';
import { headOf, type PlainResponse } from './response.js';
import { BASE } from './route.js';

export interface PipelineDeps extends AcceptDeps, FailureDeps {
  readonly requestIds: Pick<RequestIds, 'next'>;
  /** The scope of the present state: requests in progress when it ends are cut short. */
  scope(): Scope;
  /** The caller of a bearer token: seeded, an intern's own, or one from a login. */
  resolve(token: string): Caller | undefined | Promise<Caller | undefined>;
  /** Whether a request came in by a regional hostname (BASE-4). */
  regional(host: string): boolean;
  readonly cors: Cors;
}

/** Host and port of a URL. Parsing it would cost more, for every request. */
const hostOf = (url: string): string => {
  const start = url.indexOf('://') + 3;
  const end = url.indexOf('/', start);
  return end === -1 ? url.slice(start) : url.slice(start, end);
};

/**
 * Takes one request through the order of refusals (BODY-5): the caller is authorized before the body is read. Each step
 * either continues or throws the refusal that is the answer; later steps are then not taken.
 */
export function createPipeline(deps: PipelineDeps) {
  const { journal, interns } = deps;
  const accept = createAccept(deps);
  const failure = createFailure(deps);

  const preflightOf = ({ method, headers }: ReceivedRequest, draft: JournalDraft): PlainResponse | undefined => {
    const preflight = deps.cors.preflight(method, (name) => headers.get(name));
    const origin = headers.get('origin');
    if (preflight && origin !== null && !deps.cors.allows(origin))
      draft.refused = { wrong: deps.cors.wrong(origin), requirement: undefined };
    return preflight;
  };

  const respond = (exchange: Exchange): PlainResponse | Promise<PlainResponse> => {
    const { request, resource, draft } = exchange;
    const { area } = resource;
    // A request target with a host (`GET http://eu.…`) takes precedence over the header, so both are checked.
    const host = exchange.header('host');
    const named = hostOf(request.url);
    if (deps.regional(named) || (host !== null && host !== named && deps.regional(host)))
      throw new Refusal('regional', {
        wrong: `${deps.regional(named) ? named : host} is a regional host; --regional-host says which are`,
      });
    // A browser asks without the credential, which it sends only after permission (WEB-1).
    const preflight = request.method === 'OPTIONS' ? preflightOf(request, draft) : undefined;
    if (preflight) return preflight;
    if (area === 'none') throw notFound(area, `no such path; the interface is below ${BASE}`);
    const caller = callerOf(exchange, deps.resolve);
    return caller instanceof Promise ? caller.then((known) => admit(exchange, known)) : admit(exchange, caller);
  };

  /** The request of a known caller, up to its body. */
  const admit = (exchange: Exchange, caller: Caller): PlainResponse | Promise<PlainResponse> => {
    const { request, resource, draft } = exchange;
    const { area } = resource;
    exchange.caller = caller;
    draft.caller = isOfConsole(draft.id) ? CONSOLE : caller.id;
    const ofInterns = area === 'interns' || area === 'vault';
    if (ofInterns && !caller.programme) throw notFound(area, 'the caller is outside the interns programme');
    // An intern's own key gets 404 for the collection and for every other intern, whatever the method (AUTH-4).
    if (ofInterns && caller.kind === 'own_key') {
      draft.operation = rowOf(resource, request.method)?.operation;
      if (resource.internId === undefined) throw notFound(area, "an intern's own key sees that intern alone");
      interns.visible(caller, resource.internId);
    }
    if (resource.routes.length === 0) throw notFound(area, 'no such path');
    if (request.method === 'OPTIONS') return { status: 204, body: null, headers: { allow: allow(resource.routes) } };
    const row = rowFor(resource, request.method);
    exchange.row = row;
    draft.operation = row.operation;
    if (row.ofWorkspace && caller.kind === 'own_key') throw notFound(area, 'the vault of the workspace, by an own key');
    if (resource.internId !== undefined) draft.internId = interns.visible(caller, resource.internId).id;
    row.admit?.(caller, resource);
    authorizeKind(row, caller);
    return accept(exchange, row);
  };

  const seal = (answer: PlainResponse, exchange: Exchange): PlainResponse => {
    const { draft } = exchange;
    const cors = deps.cors.headers(exchange.header('origin'));
    const { status, headers: own, body } = exchange.bodiless ? headOf(answer) : answer;
    const headers = { 'x-request-id': draft.id, ...cors, ...own };
    draft.status = status;
    draft.responseHeaders = headers;
    if (typeof body === 'string') journal.noteResponseBody(draft, body);
    journal.responded(draft);
    return { status, body, headers };
  };

  const answered = (answer: PlainResponse, exchange: Exchange): PlainResponse => {
    exchange.end();
    return seal(answer, exchange);
  };
  const failed = (error: unknown, exchange: Exchange): PlainResponse => {
    const { request, draft, waiting } = exchange;
    const left = !(error instanceof Refusal) && waiting.disposed && request.signal?.aborted === true;
    exchange.end();
    if (left || error instanceof DropConnection) {
      const dropped = left ? new DropConnection('the client left', { cause: error }) : (error as DropConnection);
      draft.refused = { wrong: dropped.message, requirement: undefined };
      journal.responded(draft);
      throw dropped;
    }
    return seal(failure(error, exchange), exchange);
  };

  /** A request that waits for nothing is answered without a promise: the listener has a faster way for that. */
  return (
    request: ReceivedRequest,
    resource: Resource,
    bindings: NodeBindings | undefined,
  ): PlainResponse | Promise<PlainResponse> => {
    const rawHeaders = bindings?.incoming?.rawHeaders;
    const id = givenRequestId(headerOf(request, rawHeaders, 'x-request-id')) ?? deps.requestIds.next();
    const draft = journal.begin(id, request, rawHeaders);
    const exchange = new Exchange(request, resource, bindings, draft, deps, deps.scope());
    try {
      const answer = respond(exchange);
      if (!(answer instanceof Promise)) return answered(answer, exchange);
      return answer.then((value) => answered(value, exchange)).catch((error) => failed(error, exchange));
    } catch (error) {
      return failed(error, exchange);
    }
  };
}
