import type { Clock } from '../clock/clock.js';
import type { FairQueue } from '../clock/fair-queue.js';
import { Refusal } from '../contract/errors.js';
import type { Fault } from '../contract/fault.js';
import type { Settings } from '../contract/settings.js';
import type { Interns } from '../domain/interns.js';
import { isBlank, isJson, MAX_BODY, readBody } from '../requests/request-body.js';
import { after, DropConnection, type Exchange, type Resource } from './exchange.js';
import { dropOf, type Faults, faultRow, injectedOf, resets } from './faults.js';
import type { Journal } from './journal.js';
import { errorResponse, type PlainResponse, refusalResponse } from './response.js';
import type { Route } from './route.js';

export interface AcceptDeps {
  readonly clock: Clock;
  readonly heavyWork: FairQueue;
  readonly settings: () => Settings;
  readonly interns: Interns;
  readonly faults: Faults;
  readonly journal: Journal;
  /** The path of the interface as its clients see it, up to the version. */
  readonly basePath: string;
  /** A request waits for an injected delay, in ms; `still` says whether it still does. */
  readonly delayed?: ((requestId: string, ms: number, still: () => boolean) => void) | undefined;
}

const deprecated = (answer: PlainResponse, row: Route, resource: Resource, basePath: string): PlainResponse => {
  const successor = basePath + (row.successor ?? '').replace(':id', resource.internId ?? '');
  const headers = { deprecation: 'true', link: `<${successor}>; rel="successor-version"` };
  return { ...answer, headers: { ...answer.headers, ...headers } };
};

/**
 * Takes the request of an authorized caller through the second half of the order of refusals (BODY-5): size, media
 * type, body, what the body names, injected faults, and the handler.
 */
export function createAccept(deps: AcceptDeps) {
  /** Applies an injected fault: leaves the rest of it on the call, or gives its answer. */
  const applyFault = async (fault: Fault, row: Route, call: Exchange): Promise<PlainResponse | undefined> => {
    const { draft } = call;
    draft.injected = injectedOf(fault);
    if (fault.delay !== undefined) {
      deps.delayed?.(draft.id, fault.delay, () => draft.status === undefined && !call.scope.disposed);
      await deps.clock.sleep(fault.delay, call.scope.signal);
    }
    const drop = dropOf(fault);
    if (drop === 'before-headers') throw new DropConnection('dropped by an injected fault', { reset: resets(fault) });
    if (fault.status !== undefined && fault.at === undefined)
      return errorResponse(faultRow(row.operation, fault.status), {
        detail: 'injected fault',
        ...(fault.status === 429 ? { headers: { 'retry-after': '1' } } : {}),
      });
    if (drop) call.dropStream(drop, resets(fault));
    if (fault.at)
      call.failsAt = (step) => {
        const fails = deps.faults.takeAt(step);
        if (fails) draft.injected = { ...draft.injected, at: step };
        return fails;
      };
    return undefined;
  };

  /** A request that was answered 408 while it waited goes no further: it counts no turn and uses no fault up. */
  const needTime = ({ draft, waiting }: Exchange) => {
    if (draft.status !== undefined) throw new Refusal('timeout');
    waiting.throwIfDisposed();
  };

  const handle = (call: Exchange, row: Route): PlainResponse | Promise<PlainResponse> => {
    if (call.bytes.length > 0 && row.body.json === 'required' && !isJson(call.headers.get('content-type')))
      throw new Refusal('unsupported_media_type');
    call.input = row.parse(call);
    row.authorize?.(call);
    const fault = deps.faults.take(row.operation, (step) => row.meetsFault?.(call, step) ?? true, call.draft.internId);
    if (!fault) return row.handle(call);
    return applyFault(fault, row, call).then((answer) => {
      needTime(call);
      return answer ?? row.handle(call);
    });
  };

  const accept = (exchange: Exchange, row: Route): PlainResponse | Promise<PlainResponse> => {
    if (!row.body.read) return handle(exchange, row);
    const { request, bindings, waiting } = exchange;
    const brokenOff = (error: unknown): never => {
      if (error instanceof Refusal) throw error;
      throw new Refusal(row.body.invalid, { detail: `the body broke off: ${String(error)}` });
    };
    // On a connection, reading ends with it.
    const framed = bindings?.incoming !== undefined;
    if (!framed) bindings?.onLeave?.((reason) => void waiting.dispose(reason));
    const reading = readBody(request, framed, MAX_BODY, framed ? undefined : waiting).catch(brokenOff);
    const ready = row.heavy ? reading.then((bytes) => after(deps.heavyWork.next(), () => bytes)) : reading;
    return waiting.race(ready).then((bytes) => {
      needTime(exchange);
      const concealed = row.body.conceal?.(bytes);
      if (concealed) deps.journal.noteConcealed(exchange.draft, concealed);
      else deps.journal.noteRequestBody(exchange.draft, bytes);
      // White space is no body on some routes: it needs no media type either.
      if (row.body.blank !== 'none' || !isBlank(bytes)) exchange.bytes = bytes;
      return handle(exchange, row);
    });
  };

  /** Bounds an operation by a setting; past it the answer is 408, whatever was in progress (SIGN-9). */
  const within = (setting: NonNullable<Route['timeout']>, work: Promise<PlainResponse>): Promise<PlainResponse> =>
    new Promise((resolve, reject) => {
      const expire = () => resolve(refusalResponse(new Refusal('timeout')));
      // Work that is due at that very instant is in time: the second timer fires after it.
      let timer = deps.clock.timer(deps.settings()[setting], () => {
        timer = deps.clock.timer(0, expire);
      });
      const inTime =
        <T>(settle: (outcome: T) => void) =>
        (outcome: T) => {
          timer.cancel();
          settle(outcome);
        };
      work.then(inTime(resolve), inTime(reject));
    });

  return (exchange: Exchange, row: Route): PlainResponse | Promise<PlainResponse> => {
    const work = accept(exchange, row);
    const bounded = row.timeout ? within(row.timeout, Promise.resolve(work)) : work;
    return row.successor === undefined
      ? bounded
      : after(bounded, (answer) => deprecated(answer, row, exchange.resource, deps.basePath));
  };
}
