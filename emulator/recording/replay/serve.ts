import type { Clock } from '../../clock/clock.js';
import type { Random } from '../../clock/random.js';
import { ERRORS, type ErrorRow, Refusal } from '../../contract/errors.js';
import { FileInvalid } from '../../contract/file.js';
import { makeInert } from '../../contract/inert.js';
import { blankIntern } from '../../contract/intern-row.js';
import { type Profile, proofAsHeaders, proofHeaders } from '../../contract/profile.js';
import { givenRequestId } from '../../contract/request-id.js';
import { type SignBody, signBodySchema } from '../../contract/signing.js';
import type { InternRow } from '../../contract/state.js';
import { DAEMON_TOKEN_PREFIX } from '../../credentials/redaction.js';
import type { InternRows } from '../../daemon/tokens.js';
import type { App } from '../../http/app.js';
import { cutOf, DropConnection, type NodeBindings } from '../../http/exchange.js';
import type { Journal } from '../../http/journal.js';
import type { JournalDraft } from '../../http/journal-entry.js';
import { type AnyResponse, errorResponse, toResponse } from '../../http/response.js';
import { OptionError, type ReplayOptions } from '../../options/options.js';
import { asRequest, PlainRequest, type ReceivedRequest } from '../../requests/received-request.js';
import { readBody } from '../../requests/request-body.js';
import type { Signer } from '../../signing/signer.js';
import { createReplay, type OwnAnswers, type Replay } from './replay.js';

interface ReplayPartsDeps {
  readonly options: ReplayOptions;
  readonly clock: Clock;
  readonly random: Random;
  readonly profile: Profile;
  readonly signer: Signer;
  readonly interns: ReplayedInterns;
  daemonOrigin(): string;
  readonly log: (record: Record<string, unknown>) => void;
}

/** The interns of recordings, as far as the daemons must know them: their ids and tokens. */
export interface ReplayedInterns extends InternRows {
  tokenOf(internId: string): string;
  clear(): void;
}

const replayedRow = (id: string, token: string, at: string): InternRow => {
  const blank = blankIntern(id, at);
  return { ...blank, record: { ...blank.record, name: 'replayed', status: 'running' }, daemon_token: token };
};

/** The interns that the daemons know: the emulator's own, and those of recordings. */
export function withReplayedInterns(own: InternRows, clock: Pick<Clock, 'now'>, random: Random): ReplayedInterns {
  const replayed = new Map<string, InternRow>();
  return {
    get size() {
      return own.size + replayed.size;
    },
    get: (id) => replayed.get(id) ?? own.get(id),
    *values() {
      yield* own.values();
      yield* replayed.values();
    },
    tokenOf(internId) {
      const known = replayed.get(internId)?.daemon_token;
      if (known) return known;
      const token = random.token(DAEMON_TOKEN_PREFIX);
      replayed.set(internId, replayedRow(internId, token, new Date(clock.now()).toISOString()));
      return token;
    },
    clear: () => replayed.clear(),
  };
}

/** Answers that the emulator makes itself, such as proofs: its daemons trust only its own key. */
function ownAnswers({ clock, random, profile, signer, interns }: ReplayPartsDeps): OwnAnswers {
  const names = proofHeaders(profile);
  const schema = signBodySchema(profile.route_methods);
  return {
    daemonToken: interns.tokenOf,
    sign(internId, user, request) {
      const { data } = schema().safeParse(request) as { data?: SignBody };
      if (!data) return undefined;
      const nonce = random.bytes(16).toString('base64url');
      const proof = signer.sign({
        internId,
        timestamp: Math.floor(clock.now() / 1_000),
        user,
        bodySha256: data.bodySha256,
        ...(data.route && { route: { ...data.route, nonce } }),
      });
      return proofAsHeaders(names, proof);
    },
  };
}

/**
 * Reads the recordings of an emulator that replays.
 *
 * @throws OptionError for an invalid recording, or one of another profile
 */
function loadReplay(deps: ReplayPartsDeps): Replay {
  const { options, clock, random, daemonOrigin, profile, log } = deps;
  try {
    const replay = createReplay(options.files, {
      clock,
      random,
      daemonOrigin,
      profile,
      own: ownAnswers(deps),
      pace: options.pace ?? 'recorded',
      warn: (message) => log({ level: 'warn', event: 'recording', message }),
    });
    return {
      answer: replay.answer,
      reset() {
        replay.reset();
        // Their daemons are forgotten with them.
        deps.interns.clear();
      },
    };
  } catch (error) {
    if (error instanceof FileInvalid) throw new OptionError(error.message, { cause: error });
    throw error;
  }
}

interface ReplayAppDeps {
  readonly replay: Replay;
  readonly otherwise: 'refuse' | 'emulate';
  readonly journal: Journal;
  /** Answers requests that no recording answers, if that is wanted. */
  readonly emulated: App;
  requestId(): string;
  /** Whether a host is regional (BASE-4). Recordings do not keep the host, so such a request is refused first. */
  regional(host: string): boolean;
}

const NOT_RECORDED = {
  status: 501,
  message: 'This request was not recorded',
  reason: 'not_recorded',
  retryable: false,
} as const;

/** An app that answers requests from recordings (REC-2). */
function createReplayApp({ replay, otherwise, journal, emulated, requestId, regional }: ReplayAppDeps): App {
  const answer = async (received: ReceivedRequest, bindings: NodeBindings | undefined): Promise<AnyResponse> => {
    const isPlain = received instanceof PlainRequest;
    const unread = isPlain && received.body instanceof Error ? received.body : undefined;
    const request = isPlain
      ? asRequest(unread ? new PlainRequest(received.method, received.url, received.headers, '') : received)
      : received;
    // If no recording answers, the emulator reads the body itself, and has an entry of its own in the journal.
    const copy = otherwise === 'emulate' ? request.clone() : request;
    let begun: JournalDraft | undefined;
    const draft = () => {
      begun ??= journal.begin(givenRequestId(request.headers.get('x-request-id')) ?? requestId(), request);
      return begun;
    };
    const seal = (response: Response, body: Uint8Array): Response => {
      const entry = draft();
      response.headers.set('x-request-id', entry.id);
      makeInert(response.headers);
      entry.status = response.status;
      entry.responseHeaders = Object.fromEntries(response.headers);
      journal.noteRequestBody(entry, body);
      journal.responded(entry);
      return response;
    };
    const refuse = (row: ErrorRow, body: Uint8Array, detail?: string, wrong = detail ?? row.message): Response => {
      const answer = errorResponse(row, { detail });
      draft().refused = { wrong, requirement: row.requirement ?? undefined };
      if (typeof answer.body === 'string') journal.noteResponseBody(draft(), answer.body);
      return seal(toResponse(answer), body);
    };
    const none = new Uint8Array(0);
    const host = [new URL(request.url).host, request.headers.get('host') ?? ''].find(regional);
    if (host !== undefined)
      return refuse(ERRORS.regional, none, undefined, `${host} is a regional host; --regional-host says which are`);
    if (unread !== undefined)
      return refuse(unread instanceof Refusal ? ERRORS.payload_too_large : ERRORS.invalid_body, none);
    let body: Uint8Array;
    try {
      body = await readBody(copy, false);
    } catch {
      return refuse(ERRORS.payload_too_large, none);
    }
    const cut = cutOf(bindings);
    const found = replay.answer(request, body, {
      watch: () => journal.watch(draft()),
      cut: cut && (() => cut(false)),
    });
    if (!('problem' in found)) {
      draft().operation = found.operation ?? undefined;
      if (found.shown !== undefined) journal.noteResponseBody(draft(), found.shown);
      if (found.response) return seal(found.response, body);
      journal.noteRequestBody(draft(), body);
      journal.responded(draft());
      throw new DropConnection('the recorded connection broke off before an answer');
    }
    if (otherwise === 'emulate') return emulated.answer(request, bindings);
    return refuse(NOT_RECORDED, body, found.problem);
  };
  return { answer };
}

/** Puts recordings in front of an app, if there are any to replay. @throws OptionError as for the recordings */
export function withReplay(
  emulated: App,
  deps: (ReplayPartsDeps & Pick<ReplayAppDeps, 'journal' | 'requestId' | 'regional'>) | undefined,
): { readonly app: App; readonly replay: Replay | undefined } {
  if (deps === undefined) return { app: emulated, replay: undefined };
  const { options, journal, requestId, regional } = deps;
  const replay = loadReplay(deps);
  const otherwise = options.otherwise ?? 'refuse';
  return { app: createReplayApp({ replay, otherwise, journal, emulated, requestId, regional }), replay };
}
