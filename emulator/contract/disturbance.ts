import type { Called } from './operation.js';

/**
 * The class of a disturbance says how a right client takes it. `harmless`: it may not notice. `transient`: over when
 * tried again. `final`: can only be reported to the user. `broken`: no service may do it, so that it is for chaos
 * alone.
 */
export type DisturbanceClass = 'harmless' | 'transient' | 'final' | 'broken';

/** The part of an exchange that a disturbance changes: the whole request, its stream, a write, or its question. */
type Place = 'request' | 'stream' | 'write' | 'question';

interface Row {
  readonly class: DisturbanceClass;
  readonly at: Place;
  /** Missing where any operation can meet it. */
  readonly on?: readonly Called[];
  /** It waits for an answer that shows this status: there is nothing to change in another. */
  readonly until?: string;
  /** The disturbance as a sentence about the exchange: `the answer was lost`. */
  readonly what: string;
}

const STREAMS = ['chat', 'answer'] as const;
const TURNS = ['chat', 'answer', 'invoke'] as const;
const OF_INTERN = ['get', 'update', 'provision', 'suspend', ...TURNS, 'daemon', 'sign'] as const;

/** Every disturbance by its name (EXP-3). Harmless ones are served by the module that an entry point hands in. */
export const DISTURBANCES = {
  joined: { class: 'harmless', at: 'stream', on: STREAMS, what: 'the stream came in one piece' },
  split: { class: 'harmless', at: 'stream', on: STREAMS, what: 'the stream came in pieces that end within characters' },
  comments: { class: 'harmless', at: 'stream', on: STREAMS, what: 'comments stood between the events' },
  'unknown-events': { class: 'harmless', at: 'stream', on: STREAMS, what: 'events of an unknown type came in between' },
  'no-usage': { class: 'harmless', at: 'stream', on: STREAMS, what: 'the intern reported no usage' },
  crlf: { class: 'harmless', at: 'stream', on: STREAMS, what: 'its lines ended in CR LF' },
  'held-open': { class: 'harmless', at: 'stream', on: STREAMS, what: 'the connection stayed open after [DONE]' },
  'unknown-fields': { class: 'harmless', at: 'request', what: 'the answer had fields that the client does not know' },
  'unknown-headers': {
    class: 'harmless',
    at: 'request',
    what: 'the answer named its charset, and had unknown headers',
  },
  'key-order': { class: 'harmless', at: 'request', what: 'the keys of the answer stood in another order' },
  slow: { class: 'harmless', at: 'request', what: 'the answer took seconds of the clock' },
  'no-content': {
    class: 'harmless',
    at: 'request',
    on: ['delete', 'suspend', 'provision'],
    what: 'the success was 204, without a body',
  },
  'slow-boot': {
    class: 'harmless',
    at: 'request',
    on: ['get'],
    until: 'running',
    what: 'the intern was still booting',
  },
  'other-status': {
    class: 'harmless',
    at: 'request',
    on: ['get'],
    until: 'running',
    what: 'the intern had a status that is new',
  },
  'others-listed': { class: 'harmless', at: 'request', on: ['list'], what: "other people's interns were listed" },
  'short-page': { class: 'harmless', at: 'request', on: ['list'], what: 'the page held one intern' },

  refused: { class: 'transient', at: 'request', what: 'the connection was refused' },
  reset: { class: 'transient', at: 'request', what: 'the connection was reset before the request was acted on' },
  lost: { class: 'transient', at: 'request', what: 'the request was acted on, and the answer was lost' },
  'rate-limited': { class: 'transient', at: 'request', what: 'the request was refused: 429, Retry-After 1' },
  unavailable: { class: 'transient', at: 'request', what: 'the request was refused: 503, Retry-After 1' },
  busy: { class: 'transient', at: 'request', on: TURNS, what: 'the request was refused: 409 busy' },
  'not-ready': { class: 'transient', at: 'request', on: TURNS, what: 'the request was refused: 409 intern_not_ready' },
  unreachable: { class: 'transient', at: 'request', on: TURNS, what: 'the request was refused: intern_unreachable' },
  'proof-expired': {
    class: 'transient',
    at: 'request',
    on: ['daemon-request'],
    what: 'the proof expired before it was used',
  },

  cut: { class: 'final', at: 'write', on: STREAMS, what: 'the stream was cut' },
  closed: { class: 'final', at: 'write', on: STREAMS, what: 'the stream ended early, as if it were whole' },
  'error-chunk': { class: 'final', at: 'write', on: STREAMS, what: 'the turn failed' },
  severed: { class: 'final', at: 'write', on: STREAMS, what: 'the stream ended with stream_severed' },
  'run-ended': { class: 'final', at: 'write', on: STREAMS, what: 'the run was ended' },
  length: { class: 'final', at: 'write', on: STREAMS, what: 'the stream ended with finish_reason length' },
  silence: { class: 'final', at: 'write', on: STREAMS, what: 'the stream fell silent' },
  stall: { class: 'final', at: 'request', what: 'no answer came' },
  withdrawn: { class: 'final', at: 'question', on: STREAMS, what: 'the question was withdrawn at its deadline' },
  'answered-elsewhere': { class: 'final', at: 'question', on: STREAMS, what: 'somebody else answered the question' },
  'boot-fails': { class: 'final', at: 'request', on: ['create', 'provision'], what: 'the boot failed' },
  'teardown-fails': { class: 'final', at: 'request', on: ['delete'], what: 'the teardown failed' },
  deleted: { class: 'final', at: 'request', on: OF_INTERN, what: 'somebody deleted the intern' },
  suspended: { class: 'final', at: 'request', on: OF_INTERN, what: 'somebody suspended the intern' },
  'token-dead': { class: 'final', at: 'request', what: 'the credential opened nothing any more' },

  duplicate: { class: 'broken', at: 'request', what: 'the request was delivered twice' },
} as const satisfies Record<string, Row>;

export type DisturbanceName = keyof typeof DISTURBANCES;
export const DISTURBANCE_NAMES = Object.keys(DISTURBANCES) as [DisturbanceName, ...DisturbanceName[]];

export const disturbanceOf = (name: DisturbanceName): Row => DISTURBANCES[name];

/** Requests whose loss no retry mends: sent again they may take effect twice. */
const NOT_REPEATED: ReadonlySet<string> = new Set(['chat', 'answer', 'invoke', 'daemon-request']);
const CONNECTION: ReadonlySet<string> = new Set(['refused', 'reset', 'lost']);

/** The class of a disturbance where it happens. A client can't know whether what it lost was acted on (EXP-3). */
export function classOf(name: DisturbanceName, operation: string, keyed: boolean): DisturbanceClass {
  if (CONNECTION.has(name) && (NOT_REPEATED.has(operation) || (operation === 'create' && !keyed))) return 'final';
  return disturbanceOf(name).class;
}

/**
 * A place in a stream: after its first event, after the nth text or piece of arguments (and, with `@k`, k bytes into
 * that event), before what ends it, or after all of it.
 */
export const WRITE =
  /^(?:first|(?:content|tool-arguments):[1-9]\d*(?:@[1-9]\d*)?|before-(?:finish|final|done)|after-done)$/;
