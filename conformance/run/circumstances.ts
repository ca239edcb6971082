import type { Check } from '../framework/check.js';
import {
  type AnswerGot,
  answerOf,
  type Finding,
  type Found,
  isUnreached,
  missedSuccess,
  noAnswerOf,
} from '../framework/finding.js';
import type { Unusable } from '../framework/obstacle.js';
import { proofHeadersOf } from '../framework/profile.js';
import { lacking, raced, type Skip, Skipped } from '../framework/skip.js';
import { GATEWAY } from '../probe/gateway.js';
import { bodyOf, senderOf } from '../probe/operation.js';
import { type CredentialName, internIn, internPath, type Send } from '../probe/request.js';
import type { Attempt } from './attempt.js';
import { readsLag } from './measure-lag.js';
import { dropShared, forget } from './pool.js';
import { makeRoom, mayLackRoom, noRoom } from './room.js';
import type { RunContext } from './run-context.js';
import { NOTICED } from './session.js';
import { barred, takesPlainTexts } from './texts.js';

/** A finding against a deployment, before it is held against it. */
export interface Look {
  readonly run: RunContext;
  readonly check: Check;
  readonly tried: Attempt;
  readonly error: Finding;
  /** When the attempt began. */
  readonly began: number;
}

/** What a finding comes from that no sentence of the interface forbids. */
export interface Circumstance {
  /** ms after which the check is tried again; undefined where that would not help. */
  readonly again?: number;
  /** The run now knows something of the target that it did not: such a try does not count. */
  readonly learnt?: true;
  /** What becomes of the check when no further try is left; a finding where it is undefined. */
  readonly skip?: Skip;
}

/** ms before the first further try of a check that a deployment cannot answer now. */
const LATER = 2_000;

/** Ids of the interns that requests of the attempt were about. */
const idsIn = (transcript: Attempt['transcript']): readonly string[] => [
  ...new Set(transcript.flatMap(({ request }) => internIn(request.url) ?? [])),
];

/** A refusal of something that was to succeed. */
const refusal = ({ error }: Look): AnswerGot | undefined =>
  missedSuccess(error.found) ? answerOf(error.found) : undefined;

/** A connection may be lost on the way; one that is lost again and again is not. */
const dropped = ({ error }: Look): Circumstance | undefined =>
  noAnswerOf(error.found)?.kind === 'dropped' ? { again: 0 } : undefined;

/** Nobody is there, for some seconds: a deployment that is down breaks no sentence of the interface. */
function gone({ error: { found } }: Look): Circumstance | undefined {
  const got = noAnswerOf(found);
  if (got === undefined || !isUnreached(found)) return undefined;
  return { again: LATER, skip: { kind: 'stopped', because: { kind: 'unreached', request: found.of, got } } };
}

/** Statuses that say that it cannot be done now, whatever else they say. */
const NOW: ReadonlySet<number> = new Set([408, 429, ...GATEWAY]);

/** Whether an answer says that it cannot be done now. */
const isNow = ({ status, reason, retryable }: AnswerGot): boolean =>
  NOW.has(status) || (status >= 500 && retryable === true) || (status === 409 && reason === 'intern_unreachable');

/**
 * A success was expected, and the answer was that it cannot be done now (5xx, stated to be retryable for signing and by
 * CHAT-16; an intern that has never taken a prompt since it came up), or that there were too many requests.
 */
function temporary({ run, tried, error: { found } }: Look): Circumstance | undefined {
  const got = answerOf(found);
  if (got === undefined) return undefined;
  const early =
    got.status === 409 &&
    got.retryable === true &&
    idsIn(tried.transcript.slice(-1)).some((id) => run.session.history.mayGetReady(id));
  if (!isNow(got) && !early) return undefined;
  // A gateway may answer in between, and a refusal was not looked at: it is expected again, and held against it if it stays away.
  if (!missedSuccess(found) && got.status !== 429) return GATEWAY.has(got.status) ? { again: LATER } : undefined;
  // One that has not taken any prompt yet runs nothing that could keep it busy.
  if (!isNow(got) && got.reason === 'busy') return { again: LATER };
  return { again: LATER, skip: lacking({ kind: 'not-now', got }).skip };
}

/**
 * A gateway answered a write of the check, which may have been done all the same: whatever does not fit after that may come
 * from it. A finding about such an answer itself is none of these, and stands where it comes each time.
 */
function lostWrite({ run, tried, error: { found } }: Look): Circumstance | undefined {
  if (tried.lostWrite === undefined || GATEWAY.has(answerOf(found)?.status ?? 0)) return undefined;
  forget(run.pool);
  return { again: LATER, skip: raced({ kind: 'lost-write', ...tried.lostWrite }).skip };
}

/** What a good credential may not do, or finds nobody at: 401 to all of it is said of a bad one. */
const NOBODY = '00000000-0000-4000-8000-000000000000';
const PROBES = (as: CredentialName): readonly Send[] =>
  as === 'management_key'
    ? [{ as, path: `/scim/group-mappings/${NOBODY}` }]
    : [
        { as, path: '/interns' },
        { as, path: internPath(NOBODY) },
        { as, path: internPath(NOBODY, '/daemon') },
        { as, path: internPath(NOBODY, '/daemon/sign'), method: 'POST', json: { bodySha256: 'ab'.repeat(32) } },
      ];

/** A credential is refused, whatever it is for: for how long one is good, is not stated. */
async function spent({ run, tried }: Look): Promise<Circumstance | undefined> {
  const { session } = run;
  session.own.madeUp(NOBODY);
  // One that was refused to others says nothing of what this check has found.
  const refused = new Set(
    tried.transcript.flatMap((one) => (one.response?.status === 401 ? (senderOf(one) ?? []) : [])),
  );
  for (const { name, opened } of session.history.shut().filter((one) => refused.has(one.name))) {
    const answers = [];
    for (const probe of opened === undefined ? PROBES(name) : [opened]) {
      answers.push(await session.running.send(probe));
      if (answers.at(-1)?.status !== 401) break;
    }
    if (answers.some(({ status }) => status !== 401)) continue;
    const how: Unusable = opened === undefined ? 'opens-nothing' : 'expired';
    session.spoilt(name, how);
    return { skip: lacking({ kind: 'unusable', credential: name, how }).skip };
  }
  return undefined;
}

/** Whether nobody finds an intern any more, or it is being torn down. */
async function isGoing({ session }: RunContext, id: string, as: CredentialName): Promise<boolean> {
  const { status, json } = await session.running.send({ path: internPath(id), as });
  return status === 404 || (json as { status?: unknown } | undefined)?.status === 'destroying';
}

/**
 * Whether others delete what the run has made and does nothing with: an intern is made for that the first time, and looked
 * at from then on.
 */
async function othersDelete(run: RunContext): Promise<boolean> {
  const { driver, pool, session } = run;
  if (pool.witness !== undefined && session.history.deleted(pool.witness)) delete pool.witness;
  if (pool.witness !== undefined) return isGoing(run, pool.witness, 'api_key');
  const json = { name: `${session.prefix}${(++pool.count).toString(36)}`, workspace_id: driver.target.workspaceId };
  const made = await session.running.send({ method: 'POST', path: '/interns', json });
  const { id } = (made.json ?? {}) as { id?: unknown };
  if (made.status < 300 && typeof id === 'string') pool.witness = id;
  return false;
}

/**
 * Somebody else has deleted an intern that the check was handed, whether a request was sent to it or it was only named in one.
 * Those that are left are no older: they are not used any more.
 */
async function deleted({ run, tried, error }: Look): Promise<Circumstance | undefined> {
  const { lane, ledger, pool, session } = run;
  const ids = new Set([...idsIn(tried.transcript), ...lane.made]);
  const ours = ledger.open().filter(({ id, deleting }) => ids.has(id) && deleting !== true);
  // What was found of one intern, says nothing of others that the check used before.
  const shown = tried.transcript.find(({ number }) => number === error.found.exchange) ?? tried.transcript.at(-1);
  const about = ours.filter(({ id }) => id === internIn(shown?.request.url ?? ''));
  for (const { id, as } of about.length > 0 ? about : ours) {
    if (session.history.deleted(id) || !(await isGoing(run, id, as))) continue;
    forget(pool);
    if (!(await othersDelete(run))) return { again: 0 };
    return { again: 0, skip: raced({ kind: 'deleted' }).skip };
  }
  return undefined;
}

/** Who may create interns beside the holder of the API key, is not stated. */
function forbidden(found: Look): Circumstance | undefined {
  const got = refusal(found);
  if (got?.status !== 403) return undefined;
  const creates = found.tried.transcript.filter(
    ({ request: { method, url } }) => method === 'POST' && /\/interns$/.test(url),
  );
  const refused = creates.find(({ response }) => response?.status === 403);
  const as = refused === undefined ? undefined : senderOf(refused);
  if (as === undefined || as === 'api_key') return undefined;
  return { skip: lacking({ kind: 'may-not-create', credential: as as CredentialName, got }).skip };
}

/** A session that a client names itself may be unknown to the target: that it starts one is published (CHAT-15). */
function namedSession({ check, tried, ...found }: Look): Circumstance | undefined {
  const got = refusal({ check, tried, ...found });
  if (check.requirement === 'CHAT-15' || got === undefined || got.status < 400 || got.status > 499) return undefined;
  const at = tried.transcript.findLastIndex(
    ({ request, response }) =>
      /\/chat\/completions$/.test(request.url) && [400, 404, 422].includes(response?.status ?? 0),
  );
  const asked = tried.transcript[at];
  const named = /"session_id":("(?:[^"\\]|\\.)*")/.exec(asked?.request.body ?? '')?.[1];
  if (asked === undefined || named === undefined) return undefined;
  if (tried.transcript.slice(0, at).some((one) => bodyOf(one).includes(named))) return undefined;
  return { skip: lacking({ kind: 'own-sessions', got }).skip };
}

/** How a request for a proof names its route is published (SIGN-3): the target may call that otherwise. */
function unnamedRoute(found: Look): Circumstance | undefined {
  const { run, check, tried, error } = found;
  if (check.level !== 'S') return undefined;
  const last = tried.transcript.findLast(({ request }) => /\/sign(\?|$)/.test(request.url));
  const refused = refusal(found)?.status === 400;
  if (run.session.history.signsRoutes()) {
    const path = /"route":\{[^}]*"path":("(?:[^"\\]|\\.)*")/.exec(last?.request.body ?? '')?.[1];
    if (!refused || path === undefined || path === '"/api/invoke"') return undefined;
    return { skip: lacking({ kind: 'own-routes', path }).skip };
  }
  if (last === undefined || !/"route":/.test(last.request.body ?? '')) return undefined;
  const { signatureV2 } = proofHeadersOf(run.driver.target.profile);
  const { wanted } = error.found;
  const keys = wanted.kind === 'value' && wanted.rule.kind === 'is' ? wanted.rule.value : undefined;
  const missing = Array.isArray(keys) && keys.includes(signatureV2);
  return missing || refused ? { skip: lacking({ kind: 'own-routes' }).skip } : undefined;
}

/**
 * The intern was busy, and the run had left it something to do: an invoke, a question that nobody answered. That those keep
 * nobody out is published (CHAT-14), not stated.
 */
function atWork({ run, check, tried, error, began }: Look): Circumstance | undefined {
  const got = answerOf(error.found);
  if (got?.status !== 409 || (got.reason !== 'busy' && got.retryable !== true)) return undefined;
  const { pool, session } = run;
  const isTheRule = check.requirement === 'CHAT-14';
  const engaged = idsIn(tried.transcript).filter((id) => session.history.engagedSince(id) !== undefined);
  const since = engaged.flatMap((id) => session.history.engagedSince(id) ?? []);
  if (since.length === 0) return undefined;
  // The run that asked keeps out the answer to what it asked.
  if (error.found.breaks?.requirement === 'CHAT-6' && engaged.every((id) => session.history.onlyAsked(id)))
    return undefined;
  if (since.some((at) => at < began)) {
    // Another intern has been left nothing to do.
    forget(pool);
    if (isTheRule) return { again: 0 };
  } else if (isTheRule) return undefined;
  return { again: 0, skip: raced({ kind: 'busy', got }).skip };
}

/** How many checks are tried again whose prompt was not taken: where that does not help, it will not help the others. */
const ENOUGH = 3;

/** Whether a prompt that was not taken (502, 503, 504), by the intern or by what stands before it, may be taken the next time. */
export const mayBeTaken = ({ pool }: RunContext, error: unknown): boolean =>
  error instanceof Skipped && error.skip.because.kind === 'prompt-not-taken' && pool.notTaken < ENOUGH;

/** Such a check is done once more, from its beginning and on another intern: the run may have begun all the same. */
export function notTaken(run: RunContext, { error, transcript }: Attempt, tries: number): Circumstance | undefined {
  if (!mayBeTaken(run, error)) return undefined;
  const { lane, pool } = run;
  if (tries > 1) {
    pool.notTaken++;
    return undefined;
  }
  const shared = pool.shared.get(lane);
  if (shared !== undefined && idsIn(transcript).includes(shared.id)) dropShared(pool, lane);
  return { again: LATER };
}

/** How often room is made to measure how late reads are. */
const ROOMS = 3;

/** Lists and reads may lag behind what was written: from then on they are given the time. */
const lag = async ({ run, tried }: Look): Promise<Circumstance | undefined> => {
  let lags = await readsLag(run, tried);
  for (let times = 1; lags === 'no room'; times++) {
    await makeRoom(run);
    // Where reads are late, what is torn down may be taken for gone.
    await run.host.sleep(times * LATER, run.signal);
    lags = await readsLag(run, tried, { cramped: times === ROOMS });
  }
  return lags ? { again: 0, learnt: true } : undefined;
};

/** Which characters a text may have, is at most published (CREATE-5). */
const oddText = async ({ run, check, tried }: Look): Promise<Circumstance | undefined> =>
  check.requirement !== 'CREATE-5' && (await takesPlainTexts(run, tried)) ? { again: 0 } : undefined;

/** What stands before a deployment may take a body for an attack. */
async function firewall({ run, tried, error }: Look): Promise<Circumstance | undefined> {
  const got = answerOf(error.found);
  if (got?.status !== 403) return undefined;
  const otherwise = await barred(run, tried);
  return otherwise === undefined ? undefined : { skip: lacking({ kind: 'firewall', got, otherwise }).skip };
}

/** The target may have room for a few interns only. */
async function room({ run, tried, error }: Look): Promise<Circumstance | undefined> {
  const { full } = run.session;
  const got = await noRoom(run, tried);
  // What has room now had none a moment ago, perhaps.
  if (got === undefined) return missedSuccess(error.found) && mayLackRoom(run, tried) ? { again: LATER } : undefined;
  return { again: 0, skip: lacking({ kind: 'full', got }).skip, ...(full === undefined ? { learnt: true } : {}) };
}

/** Whether an intern was busy. */
export const isBusy = (found: Found): boolean => {
  const { status, reason } = answerOf(found) ?? {};
  return status === 409 && reason === 'busy';
};

/** A client of the run left a stream of the intern so short a time ago that its run may still be going (CHAT-10). */
function stillStreams({ error, tried }: Look): Circumstance | undefined {
  const lately = isBusy(error.found) && [...tried.leftAgo.values()].some((ago) => ago < NOTICED);
  return lately ? { skip: raced({ kind: 'still-streams' }).skip } : undefined;
}

/** An intern that the check uses runs no more, and nobody here stopped it. */
async function moves({ run: { lane, pool, session } }: Look): Promise<Circumstance | undefined> {
  const { conditions, running } = session;
  for (const id of [...lane.made, pool.shared.get(lane)?.id ?? []].flat()) {
    if (conditions.runs(id)) await running.send({ path: internPath(id) }).catch(() => undefined);
    const status = conditions.went(id);
    if (status !== undefined) return { skip: raced({ kind: 'went', status }).skip };
  }
  return undefined;
}

/**
 * In the order in which they are looked at: those that cost a request after those that cost none, and what is read late is
 * not taken for what is gone.
 */
const CIRCUMSTANCES = [
  dropped,
  temporary,
  lostWrite,
  oddText,
  firewall,
  forbidden,
  namedSession,
  unnamedRoute,
  atWork,
  spent,
  room,
  lag,
  deleted,
  stillStreams,
  moves,
];

/**
 * What stands behind a finding on a deployment where that is no breach of it: the principle is that a finding rests on what
 * the interface states, and that whatever else it needs is observed. Undefined where nothing was found.
 */
export async function circumstance(found: Look): Promise<Circumstance | undefined> {
  // What gives no answer is not asked whether it is late.
  const looks = noAnswerOf(found.error.found) === undefined ? CIRCUMSTANCES : [gone, dropped, moves];
  for (const look of looks) {
    const seen = await look(found);
    if (seen !== undefined) return seen;
  }
  return undefined;
}
