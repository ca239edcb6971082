import type { Clock } from '../clock/clock.js';
import { hostDelay } from '../clock/host.js';
import type { Random } from '../clock/random.js';
import { type DisturbanceName, disturbanceOf } from '../contract/disturbance.js';
import { Refusal } from '../contract/errors.js';
import type { Fault } from '../contract/fault.js';
import type { Called } from '../contract/operation.js';
import { givenRequestId } from '../contract/request-id.js';
import type { InternRow } from '../contract/state.js';
import type { Provisioning } from '../domain/provisioning.js';
import type { Runs } from '../domain/runs.js';
import { cutOf, DropConnection, type NodeBindings } from '../http/exchange.js';
import type { Faults } from '../http/faults.js';
import { injectedOf } from '../http/faults.js';
import type { Journal } from '../http/journal.js';
import { refusalResponse, toResponse } from '../http/response.js';
import { BASE } from '../http/route.js';
import type { ResourceOf } from '../http/router.js';
import { asRequest, hidesBody, PlainRequest, type ReceivedRequest } from '../requests/received-request.js';
import { readReceivedBody } from '../requests/request-body.js';
import type { LifecyclePlan } from '../scripts/behaviour.js';
import { contentOf } from '../wire/answer.js';
import { valueAt } from '../wire/json.js';
import { tokenOf } from '../wire/request.js';
import type { Fetch, Serve, Setting } from '../wire/serve.js';
import { ACTS, type Stage } from './acts.js';
import { type ExchangeObserver, type ObserveExchange, observedResponse } from './observer.js';
import { questionIn } from './questions.js';
import { BrokenConnection, type Scene } from './scene.js';
import type { LoadDisturbances } from './serve.js';

export interface DisturberDeps {
  readonly clock: Clock & { advance(ms: number): Promise<void> };
  readonly random: Pick<Random, 'float'>;
  readonly resourceOf: ResourceOf;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly runs: Pick<Runs, 'list' | 'find' | 'expire'>;
  readonly provisioning: Pick<Provisioning, 'suspend' | 'destroy'>;
  readonly settings: () => { readonly proof_window: number };
  intern(id: string): InternRow | undefined;
  joins: Stage['joins'];
  puts(id: string, script: string): void;
  requestId(): string;
  /** The headers of any answer to a page. */
  cors(origin: string | null): Readonly<Record<string, string>>;
  log(record: Record<string, unknown>): void;
  /** The harmless ones; without it there are none. */
  readonly load?: LoadDisturbances | undefined;
  readonly observe?: ObserveExchange | undefined;
}

/** The interface or a daemon, as it answers undisturbed. */
type Inner = (request: ReceivedRequest, bindings: NodeBindings) => Promise<Response>;

/** Stands before the interface and the daemons, and disturbs what a fault names. */
export interface Disturber {
  /** Whether there is anything to do: otherwise nobody need ask. */
  active(): boolean;
  interface(request: ReceivedRequest, bindings: NodeBindings, next: Inner): Promise<Response>;
  daemon(request: ReceivedRequest, bindings: NodeBindings | undefined, next: Inner): Promise<Response>;
  /** How a boot and a teardown go, with what is to fail. */
  plan(row: InternRow, plan: LifecyclePlan): LifecyclePlan;
  /** Forgets what lasts. */
  reset(): void;
}

/** Larger bodies pass undisturbed, and so do broken ones: they are refused. */
const LARGEST = 2 * 1024 * 1024;

/** Id of the intern that a create has made. */
async function madeIn(response: Response): Promise<string | undefined> {
  const id = valueAt(await contentOf(response), 'id');
  return typeof id === 'string' ? id : undefined;
}

interface About {
  readonly operation: Called | undefined;
  readonly internId: string | undefined;
}

export function createDisturber(deps: DisturberDeps): Disturber {
  const { clock, faults, journal, runs, resourceOf } = deps;
  const dead = new Set<string>();
  const boots = new Set<string>();
  const teardowns = new Set<string>();

  const setting: Setting = {
    host: {
      now: clock.now,
      sleep: (ms) => clock.sleep(ms),
      later: (ms, then) => clock.timer(ms, then, 'work'),
    },
    pause: hostDelay,
    random: () => deps.random.float(),
    keys: { peer: '', outsider: '', api: [] },
    async puts(id, script) {
      deps.puts(id, script);
    },
  };
  let harmless: Promise<Readonly<Record<string, Serve>>> | undefined;
  const serves = new Map<string, Serve | undefined>();

  const stage = (cut: Stage['cut']): Stage => ({
    intern: deps.intern,
    joins: deps.joins,
    deletes: (row) => void deps.provisioning.destroy(row, true),
    suspends: (row) => void deps.provisioning.suspend(row),
    failsBoot: (id) => void boots.add(id),
    failsTeardown: (id) => void teardowns.add(id),
    kills: (token) => void dead.add(token),
    sessionOf(requestId) {
      const run = journal.drafts().findLast(({ id }) => id === requestId)?.run;
      return run && runs.find(run.id)?.view.session_id;
    },
    waiting(internId, questionId) {
      const run = runs.list(internId).find(({ question }) => question?.id === questionId);
      return run?.question && { id: questionId, sessionId: run.session_id, ask: run.question.ask };
    },
    expires: runs.expire,
    outlivesProofs: () => clock.advance(deps.settings().proof_window + 1_000),
    cut,
  });

  const disturbed = async (fault: Fault, scene: Scene, cut: Stage['cut']): Promise<Response> => {
    const name = fault.disturb as DisturbanceName;
    const act = ACTS[name];
    if (act) return act(scene, stage(cut));
    harmless ??= deps.load?.();
    if (!serves.has(name)) serves.set(name, (await harmless)?.[name]);
    const serve = serves.get(name);
    if (!serve) {
      deps.log({ level: 'warn', event: 'disturbance_unknown', disturb: name });
      return scene.next(scene.request);
    }
    const { until } = disturbanceOf(name);
    // It has happened where the answer is one that it can change.
    const next: Fetch = async (request) => {
      const response = await scene.next(request);
      if (until !== undefined && valueAt(await contentOf(response), 'status') !== until) {
        if (fault.times !== 'always') faults.add({ ...fault, nth: 1, times: 1 });
        return response;
      }
      if (response.ok || disturbanceOf(name).on === undefined) scene.happened();
      return response;
    };
    return serve(next, setting)(scene.request);
  };

  const aboutOf = (request: ReceivedRequest): About => {
    const { routes, internId } = resourceOf(request);
    const operation = routes.find(({ method }) => method === request.method)?.operation;
    return { operation, internId: internId?.toLowerCase() };
  };

  /** Marks the request in the journal; one that never came to the emulator is put there. */
  const note = (fault: Fault, request: ReceivedRequest, requestId: string, about: About) => {
    let draft = journal.drafts().findLast(({ id }) => id === requestId);
    if (!draft) {
      draft = journal.begin(requestId, request);
      draft.operation = about.operation;
      draft.internId = about.internId;
      draft.refused = {
        wrong: `a disturbance: ${disturbanceOf(fault.disturb as DisturbanceName).what}`,
        requirement: undefined,
      };
    }
    journal.disturbed(draft, injectedOf(fault));
    if (draft.respondedAt === undefined) journal.responded(draft);
  };

  const unauthorized: Fetch = async () => toResponse(refusalResponse(new Refusal('unauthorized')));
  const isDead = (request: ReceivedRequest) => dead.has(tokenOf(request) ?? '');

  /** Whether a request is read before the emulator sees it. The body of any other is left to the emulator. */
  const concerns = (request: ReceivedRequest, { operation, internId }: About): boolean =>
    deps.observe !== undefined ||
    isDead(request) ||
    [operation, operation === 'chat' ? ('answer' as const) : undefined].some(
      (one) => one !== undefined && faults.disturbing(one, internId),
    );

  const leaving = (request: ReceivedRequest, bindings: NodeBindings | undefined) => {
    const listeners: ((reason: unknown) => void)[] = [];
    let left: { readonly reason: unknown } | undefined;
    const leave = (reason: unknown) => {
      left = { reason };
      for (const listener of listeners) listener(reason);
    };
    const { signal } = request;
    if (bindings?.incoming) signal?.addEventListener('abort', () => leave(signal.reason), { once: true });
    else bindings?.onLeave?.(leave);
    return (listener: (reason: unknown) => void) => {
      listeners.push(listener);
      // The client may have left while its body was read.
      if (left !== undefined) listener(left.reason);
    };
  };

  /** An answer as it is sent: one that no handler made gets the headers that every answer has. */
  const sealed = (response: Response, request: ReceivedRequest, requestId: string): Response => {
    if (response.headers.has('x-request-id')) return response;
    response.headers.set('x-request-id', requestId);
    for (const [name, value] of Object.entries(deps.cors(request.headers.get('origin'))))
      response.headers.set(name, value);
    return response;
  };

  const broken = (error: BrokenConnection, bindings: NodeBindings | undefined): never => {
    if (bindings?.incoming) throw new DropConnection(error.message, { reset: true });
    const cause = Object.assign(new Error(`${error.code}: ${error.message}`), { code: error.code });
    throw new TypeError('fetch failed', { cause });
  };

  const meet = async (
    given: ReceivedRequest,
    bindings: NodeBindings | undefined,
    inner: Inner,
    named: About,
    base: string,
  ): Promise<Response> => {
    const onLeave = leaving(given, bindings);
    const drop = cutOf(bindings);
    const own: NodeBindings = { onLeave, streams: () => bindings?.streams?.(), cut: drop };
    const { url, method, signal } = given;
    // No `Request` can be made of TRACE.
    const passes = method === 'OPTIONS' || method === 'TRACE';
    const isLarge = Number(given.headers.get('content-length') ?? 0) > LARGEST;
    if (passes || isLarge || !concerns(given, named)) return inner(given, bindings ?? own);
    const bytes = await readReceivedBody(given, bindings?.incoming, LARGEST).catch((error: Error) => error);
    const headers = new Headers(given.headers);
    const requestId = givenRequestId(headers.get('x-request-id')) ?? deps.requestId();
    headers.set('x-request-id', requestId);
    const received = new PlainRequest(method, url, headers, bytes, signal);
    if (bytes instanceof Error) return inner(received, own);
    const body = new TextDecoder().decode(bytes);

    const isAnswer = named.operation === 'chat' && questionIn(body) !== undefined;
    const about: About = isAnswer ? { ...named, operation: 'answer' } : named;
    const path = url.slice(url.indexOf('/', url.indexOf('://') + 3)).replace(base, '');
    const observer: ExchangeObserver | undefined = deps.observe?.({
      operation: about.operation ?? 'unknown',
      method,
      path,
      headers: given.headers,
      body,
    });
    const cut =
      drop &&
      (() => {
        observer?.ended('broken');
        drop(false);
      });
    const left = new Promise<void>((resolve) => onLeave(() => resolve()));
    let gone = false;
    onLeave(() => {
      gone = true;
    });

    const emulated: Fetch = async (request) => {
      const sent =
        request.body === null ? (hidesBody(method) ? bytes : '') : new Uint8Array(await request.arrayBuffer());
      const plain = new PlainRequest(request.method, request.url, request.headers, sent, signal);
      const response = await (isDead(request) ? unauthorized(request) : inner(plain, own));
      observer?.acted(response.status, about.operation === 'create' ? await madeIn(response) : undefined);
      return response;
    };
    const met = about.operation === undefined ? [] : faults.takeDisturbing(about.operation, about.internId);
    const fetch = met.reduce<Fetch>(
      (next, fault) => (request) => {
        const scene: Scene = {
          request,
          body,
          operation: about.operation as Called,
          internId: about.internId,
          fault,
          requestId,
          next,
          untilLeft() {
            // To the server a client that closes its half still waits for an answer, unless it is a stream.
            bindings?.streams?.();
            return left;
          },
          happened() {
            note(fault, given, requestId, about);
            observer?.disturbed(fault.disturb as string);
          },
        };
        return disturbed(fault, scene, cut);
      },
      emulated,
    );
    try {
      const response = sealed(await fetch(asRequest(received)), given, requestId);
      return observer ? await observedResponse(response, observer) : response;
    } catch (error) {
      observer?.ended(gone ? 'left' : 'broken');
      if (error instanceof BrokenConnection) return broken(error, bindings);
      throw error;
    }
  };

  return {
    active: () => deps.observe !== undefined || dead.size > 0 || boots.size > 0 || faults.disturbing(),
    interface(request, bindings, next) {
      const about = aboutOf(request);
      // A new boot of an intern whose last one was to fail goes as it does.
      const id = about.internId;
      if (about.operation === 'provision' && id !== undefined && deps.intern(id)?.record.status === 'failed')
        boots.delete(id);
      return meet(request, bindings, next, about, BASE);
    },
    daemon: (request, bindings, next) =>
      meet(request, bindings, next, { operation: 'daemon-request', internId: undefined }, ''),
    plan(row, plan) {
      if (boots.has(row.id))
        return { ...plan, boot: { ...plan.boot, ends: 'failed', message: 'The runtime did not start' } };
      if (teardowns.has(row.id)) return { ...plan, teardown: { ...plan.teardown, ends: 'workspace_archive_failed' } };
      return plan;
    },
    reset() {
      for (const lasting of [dead, boots, teardowns]) lasting.clear();
    },
  };
}
