import type { StreamChunk } from '../contract/chat.js';
import type { DisturbanceName } from '../contract/disturbance.js';
import { type ErrorKey, envelope, Refusal } from '../contract/errors.js';
import type { InternRow } from '../contract/state.js';
import { refusalResponse, toResponse } from '../http/response.js';
import { contentOf } from '../wire/answer.js';
import { DONE, frameOf } from '../wire/chunks.js';
import { valueAt } from '../wire/json.js';
import { tokenOf } from '../wire/request.js';
import { isStream } from '../wire/streams.js';
import { type AskedQuestion, declining, questionIn } from './questions.js';
import { BrokenConnection, type Scene } from './scene.js';
import { type Continuation, drain, followed, interrupted } from './streams.js';

/** The effects of disturbances, beside answers. */
export interface Stage {
  intern(id: string): InternRow | undefined;
  deletes(row: InternRow): void;
  suspends(row: InternRow): void;
  /** The next boot, or teardown, of an intern fails. */
  failsBoot(id: string): void;
  failsTeardown(id: string): void;
  /** The credential of a request opens nothing any more. */
  kills(token: string): void;
  /** Session of the run that a request started or continued. */
  sessionOf(requestId: string): string | undefined;
  /** The question that a run of an intern waits with, by its id. */
  waiting(internId: string, questionId: string): AskedQuestion | undefined;
  /** Passes the deadline of a question. */
  expires(internId: string, questionId: string): void;
  /** A colleague makes an intern in the workspace of another, which runs at once. */
  joins(other: InternRow): void;
  /** Moves the clock past the window of proofs. */
  outlivesProofs(): Promise<void>;
  /** Cuts the connection once the written bytes have left; undefined in process. */
  readonly cut: (() => void) | undefined;
}

type Act = (scene: Scene, stage: Stage) => Promise<Response>;

const refuse =
  (key: ErrorKey, retryAfter?: number): Act =>
  async ({ happened }) => {
    happened();
    const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
    return toResponse(refusalResponse(new Refusal(key, { headers, detail: 'a disturbance' })));
  };

const breaks =
  (code: BrokenConnection['code'], why: string): Act =>
  async ({ happened }) => {
    happened();
    throw new BrokenConnection(why, code);
  };

/** The end of a stream in place of the rest: a finish chunk, the final chunk, `[DONE]`. */
function ending({ requestId }: Scene, stage: Stage, last: StreamChunk, finish: string, error?: ErrorKey): Continuation {
  const { id, object, created, model } = last;
  const head = { id, object, created, model };
  const session = last.session_id ?? stage.sessionOf(requestId);
  const choices = [{ index: 0, delta: {}, finish_reason: finish }];
  const chunks = [
    { ...head, choices, ...(error === undefined ? {} : envelope(error)) },
    { ...head, choices: [], session_id: session, usage: null },
  ];
  return { text: chunks.map(frameOf).join('') + DONE };
}

const atWrite =
  (goesOn: (scene: Scene, stage: Stage, last: StreamChunk) => Continuation): Act =>
  async (scene, stage) => {
    const response = await scene.next(scene.request);
    const { write } = scene.fault;
    if (write === undefined || !isStream(response)) return response;
    return interrupted(response, {
      write,
      cut: stage.cut,
      untilLeft: scene.untilLeft,
      happens(last) {
        scene.happened();
        return goesOn(scene, stage, last);
      },
    });
  };

/** Does something to the intern of a request before that is looked at. */
const before =
  (does: (row: InternRow, stage: Stage) => boolean): Act =>
  async ({ internId, request, next, happened }, stage) => {
    const row = internId === undefined ? undefined : stage.intern(internId);
    if (row !== undefined && does(row, stage)) happened();
    return next(request);
  };

const UP: ReadonlySet<string> = new Set(['running', 'provisioning', 'queued']);

/** Does something to a question: as its answer comes, or once it was asked. */
const toQuestion =
  (does: (scene: Scene, stage: Stage, asked: AskedQuestion) => Promise<boolean>): Act =>
  async (scene, stage) => {
    const { internId, operation, fault, request, next, happened } = scene;
    if (internId === undefined) return next(request);
    if (operation === 'answer' && fault.state !== 'asked') {
      const id = questionIn(scene.body);
      const asked = id === undefined ? undefined : stage.waiting(internId, id);
      if (asked !== undefined && (await does(scene, stage, asked))) happened();
      return next(request);
    }
    const response = await next(request);
    if (!isStream(response)) return response;
    return followed(response, async (chunks) => {
      const call = chunks.flatMap((chunk) => chunk.choices?.[0]?.delta?.tool_calls ?? [])[0];
      const asked = call?.id === undefined ? undefined : stage.waiting(internId, call.id);
      if (asked !== undefined && (await does(scene, stage, asked))) happened();
    });
  };

const stall: Act = async ({ happened, untilLeft }) => {
  happened();
  await untilLeft();
  throw new BrokenConnection('no answer came', 'ECONNRESET');
};

/** The effect of each disturbance that the emulator serves by itself. */
export const ACTS: Partial<Readonly<Record<DisturbanceName, Act>>> = {
  async 'others-listed'({ request, next, happened }, stage) {
    const first = await next(request);
    const other = stage.intern(String(valueAt(await contentOf(first), 'data.0.id')));
    if (other === undefined) return first;
    stage.joins(other);
    happened();
    return next(request);
  },

  refused: breaks('ECONNREFUSED', 'the connection was refused'),
  reset: breaks('ECONNRESET', 'the connection was reset'),
  async lost({ request, next, happened }) {
    await drain(await next(request));
    happened();
    throw new BrokenConnection('the answer was lost', 'ECONNRESET');
  },
  'rate-limited': refuse('rate_limited', 1),
  unavailable: refuse('service_unavailable', 1),
  busy: refuse('busy', 1),
  'not-ready': refuse('intern_not_ready'),
  unreachable: refuse('intern_unreachable'),
  async 'proof-expired'({ request, next, happened }, stage) {
    await stage.outlivesProofs();
    happened();
    return next(request);
  },

  cut: atWrite(() => 'break'),
  closed: atWrite(() => ({ text: '' })),
  silence: atWrite(() => 'hang'),
  'error-chunk': atWrite((scene, stage, last) => ending(scene, stage, last, 'error', 'turn_failed')),
  severed: atWrite((scene, stage, last) => ending(scene, stage, last, 'error', 'stream_severed')),
  'run-ended': atWrite((scene, stage, last) => ending(scene, stage, last, 'error', 'run_ended')),
  length: atWrite((scene, stage, last) => ending(scene, stage, last, 'length')),
  stall,

  withdrawn: toQuestion(async ({ internId = '' }, stage, { id }) => {
    stage.expires(internId, id);
    return true;
  }),
  'answered-elsewhere': toQuestion(async ({ request, next, internId = '' }, stage, asked) => {
    await drain(await next(declining(request, asked)));
    return stage.waiting(internId, asked.id) === undefined;
  }),
  async 'boot-fails'({ request, internId, next, happened }, stage) {
    const response = await next(request);
    if (!response.ok) return response;
    const made = await contentOf(response);
    // An intern that is to wait for a provision does not boot yet.
    const booting = internId ?? (UP.has(String(valueAt(made, 'status'))) ? String(valueAt(made, 'id')) : undefined);
    if (booting === undefined) return response;
    stage.failsBoot(booting);
    happened();
    return response;
  },
  'teardown-fails': before((row, stage) => {
    if (row.record.status === 'destroying') return false;
    stage.failsTeardown(row.id);
    return true;
  }),
  deleted: before((row, stage) => {
    if (row.record.status === 'destroying') return false;
    stage.deletes(row);
    return true;
  }),
  suspended: before((row, stage) => {
    if (row.record.status !== 'running') return false;
    stage.suspends(row);
    return true;
  }),
  async 'token-dead'({ request, next, happened }, stage) {
    stage.kills(tokenOf(request) ?? '');
    happened();
    return next(request);
  },
  async duplicate({ request, next, happened }) {
    const first = await next(request.clone());
    happened();
    await drain(first);
    return next(request);
  },
};
