import type { Clock } from '../clock/clock.js';
import type { Random } from '../clock/random.js';
import type { Scope } from '../clock/scope.js';
import { ERRORS, Refusal } from '../contract/errors.js';
import { REQUIREMENTS } from '../contract/refused-by.js';
import type { Settings } from '../contract/settings.js';
import type { Caller } from '../domain/caller.js';
import type { Interns } from '../domain/interns.js';
import { isBlank, isJson, MAX_BODY, readBody } from '../request-body.js';
import { AcceptedCall, Parts } from './call.js';
import type { Cors } from './cors.js';
import { dropOf, type Fault, type Faults, faultRow } from './faults.js';
import type { Journal, JournalDraft } from './journal.js';
import { givenRequestId } from './protocol.js';
import { errorResponse, type PlainResponse, refusalResponse } from './response.js';
import { BASE, type Route } from './route.js';

export interface PipelineDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: () => Settings;
  readonly interns: Interns;
  /** The scope of the present state: what is under way when it ends is cut short. */
  scope(): Scope;
  readonly faults: Faults;
  readonly journal: Journal;
  /** The caller of a bearer token: seeded, an intern's own, or one from a login. */
  resolve(token: string): Caller | undefined | Promise<Caller | undefined>;
  /** Whether a request came in by a regional hostname (BASE-4). */
  regional(host: string): boolean;
  /** Takes credentials out of a text: a detail may quote what was sent (AUTH-9). */
  redact(text: string): string;
  readonly cors: Cors;
  log(record: Record<string, unknown>): void;
}

/** Which rules a path is under: interns, SCIM, or neither. */
export type Area = 'interns' | 'scim' | 'none';

/** One path of the table with all that is known of it. */
export interface Resource {
  readonly area: Area;
  /** The rows of this path; none for a path that isn't known. */
  readonly routes: readonly Route[];
  readonly internId?: string;
  readonly mappingId?: string;
}

/** What a request came by. */
export interface Transport {
  /** Whether it holds the sender to a declared body length. */
  readonly framed: boolean;
  /** Cuts the connection once what was written has left; undefined in process. */
  readonly cut?: (() => void) | undefined;
  /** To be told as soon as the answer can only be a stream: from then on a client that closes its half has left. */
  streams(): void;
}

/** Thrown to drop the connection without an answer. */
export class DropConnection extends Error {
  override readonly name = 'DropConnection';
}

/** Goes on with a value at once where it is there, and later where it is promised. */
const after = <T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> =>
  value instanceof Promise ? value.then(next) : next(value);

const NOTHING = new Uint8Array(0);

/** Host and port of a URL, cut out since it is wanted for each request. */
const hostOf = (url: string): string => {
  const start = url.indexOf('://') + 3;
  const end = url.indexOf('/', start);
  return end === -1 ? url.slice(start) : url.slice(start, end);
};

const BEARER = /^Bearer +([^\s]+) *$/i;

const bearer = (header: string | null): string | undefined => (header === null ? undefined : BEARER.exec(header)?.[1]);

/** What is wrong with a credential that opens nothing here. Never quotes it (AUTH-9). */
function wrongCredential(header: string | null, caller: Caller | undefined): string {
  if (caller) return caller.kind === 'management' ? 'a management key, for SCIM only' : 'no management key';
  if (header === null) return 'Authorization: missing';
  return bearer(header) === undefined ? 'Authorization: expected Bearer and a key' : 'Authorization: an unknown key';
}

/** The methods a path answers to: HEAD goes with GET, OPTIONS with all (BASE-5). */
const allow = (routes: readonly Route[]): string => {
  const methods = routes.map((row) => row.method as string);
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
};

/**
 * Takes one request through the order of refusals (BODY-5): the caller is judged before the body. Each step either
 * goes on or throws the refusal that is the answer; nothing after it is looked at.
 */
export function createPipeline(deps: PipelineDeps) {
  const { faults, journal, interns } = deps;

  const notFound = (area: Area, wrong: string) =>
    new Refusal(area === 'scim' ? 'scim_not_found' : area === 'interns' ? 'not_found' : 'path_not_found', { wrong });

  // A management key and the other credentials open different doors (AUTH-6).
  const admitted = (caller: Caller | undefined, area: Area, request: Request): Caller => {
    if (!caller || (caller.kind === 'management') !== (area === 'scim'))
      throw new Refusal(area === 'scim' ? 'scim_unauthorized' : 'unauthorized', {
        wrong: wrongCredential(request.headers.get('authorization'), caller),
      });
    return caller;
  };
  const callerOf = (request: Request, area: Area, scope: Scope): Caller | Promise<Caller> => {
    const token = bearer(request.headers.get('authorization'));
    const found = token === undefined ? undefined : deps.resolve(token);
    return after(found instanceof Promise ? scope.race(found) : found, (caller) => admitted(caller, area, request));
  };

  const rowFor = (resource: Resource, method: string): Route => {
    const found = resource.routes.find((row) => row.method === method || (method === 'HEAD' && row.method === 'GET'));
    if (found) return found;
    throw new Refusal('method_not_allowed', {
      wrong: `${method} is none of ${allow(resource.routes)}`,
      headers: { allow: allow(resource.routes) },
    });
  };

  const authorizeKind = (row: Route, caller: Caller) => {
    const refuse = (wrong: string) => new Refusal('personal_identity_required', { wrong });
    if (row.credential === 'oauth' && caller.kind !== 'oauth')
      throw refuse('an API key, where an OAuth token is needed');
    if (row.credential === 'oauth_vault' && (caller.kind !== 'oauth' || caller.grant !== 'full'))
      throw refuse(
        `${caller.kind === 'oauth' ? 'the grant lacks' : 'an API key, where an OAuth token is needed with'} vault:read`,
      );
  };

  /** What an injected fault leaves to be done, or the answer it gives. */
  const applyFault = async (fault: Fault, row: Route, call: AcceptedCall): Promise<PlainResponse | undefined> => {
    if (fault.delay !== undefined) await deps.clock.sleep(fault.delay, call.scope.signal);
    const drop = dropOf(fault);
    if (drop === 'before-headers') throw new DropConnection('dropped by an injected fault');
    if (fault.status !== undefined && fault.at === undefined)
      return errorResponse(faultRow(row.operation, fault.status), {
        detail: 'injected fault',
        ...(fault.status === 429 ? { headers: { 'retry-after': '1' } } : {}),
      });
    if (drop) call.dropStream(drop);
    if (fault.at) call.failsAt = (step) => faults.takeAt(step);
    return undefined;
  };

  /** What was answered 408 while it waited goes no further: it counts no turn and uses no fault up. */
  const needTime = (draft: JournalDraft, scope: Scope) => {
    if (draft.status !== undefined) throw new Refusal('timeout');
    scope.throwIfDisposed();
  };

  const handle = (
    request: Request,
    resource: Resource,
    row: Route,
    caller: Caller,
    draft: JournalDraft,
    scope: Scope,
    transport: Transport,
    bytes: Uint8Array,
  ): PlainResponse | Promise<PlainResponse> => {
    const blank = row.body.blank === 'none' && isBlank(bytes);
    if (bytes.length > 0 && !blank && row.body.json === 'required' && !isJson(request.headers.get('content-type')))
      throw new Refusal('unsupported_media_type');
    const input = row.parse(new Parts(request, row, bytes, blank));
    const call = new AcceptedCall(
      request,
      draft,
      scope,
      transport,
      deps,
      resource.internId,
      resource.mappingId,
      caller,
      input,
    );
    row.authorize?.(call);
    const fault = faults.take(row.operation, (step) => row.meetsFault?.(call, step) ?? true);
    if (!fault) return row.handle(call);
    return applyFault(fault, row, call).then((answer) => {
      needTime(draft, scope);
      return answer ?? row.handle(call);
    });
  };

  const serveRow = (
    request: Request,
    resource: Resource,
    row: Route,
    caller: Caller,
    draft: JournalDraft,
    scope: Scope,
    transport: Transport,
  ): PlainResponse | Promise<PlainResponse> => {
    if (!row.body.read) return handle(request, resource, row, caller, draft, scope, transport, NOTHING);
    const brokenOff = (error: unknown): never => {
      if (error instanceof Refusal) throw error;
      throw new Refusal(row.body.invalid, { detail: `the body broke off: ${String(error)}` });
    };
    // On a connection, reading ends with it.
    const { framed } = transport;
    if (!framed) scope.follow(request.signal);
    const reading = readBody(request, framed, MAX_BODY, framed ? undefined : scope).catch(brokenOff);
    return scope.race(reading).then((bytes) => {
      needTime(draft, scope);
      journal.noteRequestBody(draft, bytes);
      return handle(request, resource, row, caller, draft, scope, transport, bytes);
    });
  };

  /** Bounds an operation by a setting; past it the answer is 408, whatever was going on (SIGN-9). */
  const within = async (row: Route, work: Promise<PlainResponse>): Promise<PlainResponse> => {
    const ms = deps.settings()[row.timeout ?? 'signing_timeout'];
    let ring: () => void = () => {};
    const rung = new Promise<void>((resolve) => {
      ring = resolve;
    });
    const timer = deps.clock.timer(ms, () => ring());
    try {
      const answer = await Promise.race([work, rung]);
      if (!answer) work.catch(() => {});
      return answer ?? refusalResponse(new Refusal('timeout'));
    } finally {
      timer.cancel();
    }
  };

  const preflightOf = ({ method, headers }: Request, draft: JournalDraft): PlainResponse | undefined => {
    const preflight = deps.cors.preflight(method, (name) => headers.get(name));
    const origin = headers.get('origin');
    if (preflight && origin !== null && !deps.cors.allows(origin))
      draft.refused = { wrong: deps.cors.wrong(origin), requirement: undefined };
    return preflight;
  };

  const respond = (
    request: Request,
    resource: Resource,
    draft: JournalDraft,
    scope: Scope,
    transport: Transport,
  ): PlainResponse | Promise<PlainResponse> => {
    const { area } = resource;
    // Both: a target with a host of its own (`GET http://eu.…`) counts before the header.
    const host = request.headers.get('host');
    if (deps.regional(hostOf(request.url)) || (host !== null && deps.regional(host))) throw new Refusal('regional');
    // A browser asks without the credential, which it sends only once it may (WEB-1).
    const preflight = request.method === 'OPTIONS' ? preflightOf(request, draft) : undefined;
    if (preflight) return preflight;
    if (area === 'none') throw notFound(area, `no such path; the interface is below ${BASE}`);
    return after(callerOf(request, area, scope), (caller) => {
      draft.caller = caller.id;
      if (area === 'interns' && !caller.programme) throw notFound(area, 'the caller is outside the interns programme');
      if (resource.routes.length === 0) throw notFound(area, 'no such path');
      if (request.method === 'OPTIONS') return { status: 204, body: null, headers: { allow: allow(resource.routes) } };
      const row = rowFor(resource, request.method);
      draft.operation = row.operation;
      // An intern's own key sees that intern: the collection isn't there for it (AUTH-4).
      if (area === 'interns' && resource.internId === undefined && caller.kind === 'own_key')
        throw notFound(area, "an intern's own key sees that intern alone");
      if (resource.internId !== undefined) draft.internId = interns.visible(caller, resource.internId).id;
      authorizeKind(row, caller);
      const work = serveRow(request, resource, row, caller, draft, scope, transport);
      const bounded = row.timeout ? within(row, Promise.resolve(work)) : work;
      return row.successor === undefined ? bounded : after(bounded, (answer) => deprecated(answer, row, resource));
    });
  };

  const deprecated = (answer: PlainResponse, row: Route, resource: Resource): PlainResponse => {
    const successor = BASE + (row.successor ?? '').replace(':id', resource.internId ?? '');
    const headers = { deprecation: 'true', link: `<${successor}>; rel="successor-version"` };
    return { ...answer, headers: { ...answer.headers, ...headers } };
  };

  const redacted = (refusal: Refusal): Refusal => {
    const { key, message, detail, headers, retryable } = refusal;
    if (detail === undefined) return refusal;
    return new Refusal(key, {
      message,
      detail: deps.redact(detail),
      headers: { ...headers },
      ...(retryable === undefined ? {} : { retryable }),
    });
  };

  /** What was wrong with a request, in words for whoever runs the emulator: more than its sender may be told. */
  const wrongOf = (refusal: Refusal, { internId }: Resource): string => {
    if (refusal.wrong !== undefined) return refusal.wrong;
    if (refusal.detail !== undefined) return refusal.detail;
    if (refusal.key !== 'not_found' || internId === undefined)
      return refusal.message.replace(/^Invalid request body: /, '');
    const row = interns.get(internId.toLowerCase());
    return row ? `the caller does not see ${row.record.name}, which is there` : `there is no intern ${internId}`;
  };

  const failure = (thrown: unknown, resource: Resource, draft: JournalDraft): PlainResponse => {
    const error = thrown instanceof Refusal ? redacted(thrown) : thrown;
    if (error instanceof Refusal) {
      draft.refused = { wrong: wrongOf(error, resource), requirement: REQUIREMENTS[error.key] };
      // No SCIM error has metadata (SCIM-2).
      if (resource.area === 'scim') {
        const { status } = ERRORS[error.key];
        return errorResponse({ status, message: error.message }, { detail: error.detail, headers: error.headers });
      }
      return refusalResponse(error);
    }
    deps.log({
      level: 'error',
      event: 'internal_error',
      request_id: draft.id,
      error: error instanceof Error ? error.stack : String(error),
    });
    return errorResponse(resource.area === 'scim' ? ERRORS.scim_internal : ERRORS.internal_error);
  };

  const seal = (answer: PlainResponse, request: Request, draft: JournalDraft): PlainResponse => {
    const cors = deps.cors.headers(request.headers.get('origin'));
    const headers = { ...cors, ...answer.headers, 'x-request-id': draft.id };
    draft.status = answer.status;
    draft.responseHeaders = headers;
    // A stream that was over at once is a text too; the journal has its writes.
    if (typeof answer.body === 'string' && !draft.writes) journal.noteResponseBody(draft, answer.body);
    journal.responded(draft, answer.body instanceof ReadableStream);
    return { ...answer, body: request.method === 'HEAD' ? null : answer.body, headers };
  };

  // A random beginning and a count: as unique as a random id each, and made at once.
  const idStem = `${deps.random.uuid().slice(0, 13)}-`;
  let ids = 0;

  /** What needs no waiting is answered without: the listener has a faster way for those. */
  return (request: Request, resource: Resource, transport: Transport): PlainResponse | Promise<PlainResponse> => {
    const id = givenRequestId(request.headers.get('x-request-id')) ?? `${idStem}${(++ids).toString(36)}`;
    const draft = journal.begin(id, request);
    const scope = deps.scope().child();
    const sealed = (answer: PlainResponse): PlainResponse => {
      void scope.dispose();
      return seal(answer, request, draft);
    };
    const failed = (error: unknown): PlainResponse => {
      const left = !(error instanceof Refusal) && scope.disposed && request.signal.aborted;
      void scope.dispose();
      if (left || error instanceof DropConnection) {
        const dropped = left ? new DropConnection('the client left', { cause: error }) : (error as DropConnection);
        draft.refused = { wrong: dropped.message, requirement: undefined };
        journal.responded(draft, false);
        throw dropped;
      }
      return seal(failure(error, resource, draft), request, draft);
    };
    try {
      const answer = respond(request, resource, draft, scope, transport);
      if (!(answer instanceof Promise)) return sealed(answer);
      return answer.then(sealed).catch(failed);
    } catch (error) {
      return failed(error);
    }
  };
}
