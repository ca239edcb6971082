import { brief, type Finding, Unmet } from '../framework/assert.js';
import type { Check } from '../framework/check.js';
import { proofHeadersOf } from '../framework/profile.js';
import { GATEWAY } from '../probe/gateway.js';
import { NoAnswer } from '../probe/no-answer.js';
import { NOT_TAKEN } from '../probe/reply.js';
import { type CredentialName, internIn, internPath, type Send } from '../probe/request.js';
import type { Attempt } from './attempt.js';
import { wantsSuccess } from './causes.js';
import { readsLag } from './measure-lag.js';
import { dropShared, forget } from './pool.js';
import type { Skip } from './results.js';
import { makeRoom, mayLackRoom, noRoom } from './room.js';
import type { RunContext } from './run-context.js';
import { barred, takesPlainTexts } from './texts.js';

/** A finding against a deployment, before it is held against it. */
export interface Found {
  readonly run: RunContext;
  readonly check: Check;
  readonly tried: Attempt;
  readonly error: Finding;
  /** When the attempt began. */
  readonly began: number;
  /** Other checks are at work meanwhile. */
  readonly inCompany?: boolean;
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

/** The body of the latest answer. */
const latest = ({ transcript }: Attempt): string =>
  transcript
    .at(-1)
    ?.response?.pieces.map(({ text }) => text)
    .join('') ?? '';

/** A connection may be lost on the way; one that is lost again and again is not. */
const dropped = ({ error }: Found): Circumstance | undefined =>
  error instanceof NoAnswer && error.kind === 'dropped' ? { again: 0 } : undefined;

/** What a check needs that found nobody there. */
export const REACHED = 'a target that can be reached';

/** Nobody is there, for some seconds: a deployment that is down breaks no sentence of the interface. */
function gone({ run, error }: Found): Circumstance | undefined {
  if (!(error instanceof NoAnswer) || !error.unreached) return undefined;
  const why = run.session.redactor.text(`${error.what}: ${error.actual}`);
  return { again: LATER, skip: { need: REACHED, why, kind: 'stopped' } };
}

/**
 * A success was expected, and the answer was that it cannot be done now (5xx, stated to be retryable for signing and by
 * CHAT-16; an intern that has never taken a prompt since it came up), or that there were too many requests.
 */
function temporary({ run, tried, error }: Found): Circumstance | undefined {
  // What stands behind a bare status is in the answer.
  const told = typeof error.actual === 'number' ? `${error.actual} ${latest(tried)}` : String(error.actual);
  const now = /^(?:(408|429|502|503|504)\b|(5\d\d)\b.*"retryable":\s*true|(409)\b.*"intern_unreachable")/s;
  const status = now.exec(told)?.slice(1).join('');
  const early =
    /^409\b.*"retryable":\s*true/s.test(told) &&
    idsIn(tried.transcript.slice(-1)).some((id) => run.session.history.mayGetReady(id));
  if (status === undefined && !early) return undefined;
  // A gateway may answer in between, and a refusal was not looked at: it is expected again, and held against it if it stays away.
  if (!wantsSuccess(error) && status !== '429') return GATEWAY.has(Number(status)) ? { again: LATER } : undefined;
  // One that has not taken any prompt yet runs nothing that could keep it busy.
  if (status === undefined && /"reason":\s*"busy"/.test(told)) return { again: LATER };
  const why = run.session.redactor.text(`it could not do it now: ${brief(error.actual, 200)}`);
  return { again: LATER, skip: { need: 'a target that can do it now', why, kind: 'need' } };
}

/**
 * A gateway answered a write of the check, which may have been done all the same: whatever does not fit after that may come
 * from it. A finding about such an answer itself is none of these, and stands where it comes each time.
 */
function lostWrite({ run, tried, error }: Found): Circumstance | undefined {
  if (tried.lostWrite === undefined || /^50[234]\b/.test(String(error.actual))) return undefined;
  const why = `a gateway answered a write (${tried.lostWrite}), which may have been done all the same`;
  forget(run.pool);
  return {
    again: LATER,
    skip: { need: 'a gateway that loses no request', why: run.session.redactor.text(why), kind: 'race' },
  };
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
async function spent({ run, tried }: Found): Promise<Circumstance | undefined> {
  const { session } = run;
  session.own.madeUp(NOBODY);
  // One that was refused to others says nothing of what this check has found.
  const refused = new Set(
    tried.transcript.flatMap(({ request, response }) =>
      response?.status === 401 ? (/\[(\w+)\]/.exec(request.headers.authorization ?? '')?.[1] ?? []) : [],
    ),
  );
  for (const { name, opened } of session.history.shut().filter((one) => refused.has(one.name))) {
    const answers = [];
    for (const probe of opened === undefined ? PROBES(name) : [opened]) {
      answers.push(await session.running.send(probe));
      if (answers.at(-1)?.status !== 401) break;
    }
    if (answers.some(({ status }) => status !== 401)) continue;
    const flag = `--${name.replaceAll('_', '-')}`;
    const why =
      opened === undefined
        ? `${flag} opens nothing (401 to whatever it is sent with): is it a credential of this target?`
        : `${flag} was taken before, and is refused now (401): has it expired?`;
    session.spoilt(name, why);
    return { skip: { need: name, why, kind: 'need' } };
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
export async function deleted({ run, tried }: Found): Promise<Circumstance | undefined> {
  const { lane, ledger, pool, session } = run;
  const ids = new Set([...idsIn(tried.transcript), ...lane.made]);
  const ours = ledger.open().filter(({ id, deleting }) => ids.has(id) && deleting !== true);
  for (const { id, as } of ours) {
    if (session.history.deleted(id) || !(await isGoing(run, id, as))) continue;
    forget(pool);
    if (!(await othersDelete(run))) return { again: 0 };
    const why = 'an intern was deleted in between, as was one that the run only made';
    return { again: 0, skip: { need: 'interns that nobody else deletes', why, kind: 'race' } };
  }
  return undefined;
}

/** Who may create interns beside the holder of the API key, is not stated. */
function forbidden({ tried, error }: Found): Circumstance | undefined {
  if (!/^403\b/.test(String(error.actual)) || !wantsSuccess(error)) return undefined;
  const creates = tried.transcript.filter(
    ({ request: { method, url } }) => method === 'POST' && /\/interns$/.test(url),
  );
  const refused = creates.find(({ response }) => response?.status === 403);
  const as = /\[(\w+)\]/.exec(refused?.request.headers.authorization ?? '')?.[1];
  if (as === undefined || as === 'api_key') return undefined;
  const why = `--${as.replaceAll('_', '-')} may not create interns (${brief(error.actual, 160)})`;
  return { skip: { need: as, why, kind: 'need' } };
}

/** A session that a client names itself may be unknown to the target: that it starts one is published (CHAT-15). */
function namedSession({ check, tried, error }: Found): Circumstance | undefined {
  if (check.requirement === 'CHAT-15' || !/^4\d\d\b/.test(String(error.actual)) || !wantsSuccess(error))
    return undefined;
  const at = tried.transcript.findLastIndex(
    ({ request, response }) =>
      /\/chat\/completions$/.test(request.url) && [400, 404, 422].includes(response?.status ?? 0),
  );
  const asked = tried.transcript[at];
  const named = /"session_id":("(?:[^"\\]|\\.)*")/.exec(asked?.request.body ?? '')?.[1];
  if (asked === undefined || named === undefined) return undefined;
  const given = tried.transcript.slice(0, at).some(({ response }) =>
    response?.pieces
      .map(({ text }) => text)
      .join('')
      .includes(named),
  );
  if (given) return undefined;
  const why = `a prompt in a session that the client named was answered ${brief(error.actual, 160)}`;
  return { skip: { need: 'sessions that a client names', why, kind: 'need' } };
}

/** How a request for a proof names its route is published (SIGN-3): the target may call that otherwise. */
function unnamedRoute({ run, check, tried, error }: Found): Circumstance | undefined {
  if (check.level !== 'S') return undefined;
  const last = tried.transcript.findLast(({ request }) => /\/sign(\?|$)/.test(request.url));
  const refused = /^400\b/.test(String(error.actual)) && wantsSuccess(error);
  if (run.session.history.signsRoutes()) {
    const path = /"route":\{[^}]*"path":("(?:[^"\\]|\\.)*")/.exec(last?.request.body ?? '')?.[1];
    if (!refused || path === undefined || path === '"/api/invoke"') return undefined;
    const why = `which paths a route may have is published, and ${path} is none here`;
    return { skip: { need: 'a proof for any path', why: run.session.redactor.text(why), kind: 'need' } };
  }
  if (last === undefined || !/"route":/.test(last.request.body ?? '')) return undefined;
  const { signatureV2 } = proofHeadersOf(run.driver.target.profile);
  const missing = [error.expected].flat().includes(signatureV2);
  if (!missing && !refused) return undefined;
  const why = 'it is published as `route`, and no request that has it was given a proof for a route';
  return { skip: { need: 'the name of the route in a request for a proof', why, kind: 'need' } };
}

/**
 * The intern was busy, and the run had left it something to do: an invoke, a question that nobody answered. That those keep
 * nobody out is published (CHAT-14), not stated.
 */
function atWork({ run, check, tried, error, began }: Found): Circumstance | undefined {
  if (!/^409\b/.test(String(error.actual)) || !/"busy"|"retryable":\s*true/.test(latest(tried))) return undefined;
  const { pool, session } = run;
  const isTheRule = check.requirement === 'CHAT-14';
  const engaged = idsIn(tried.transcript).filter((id) => session.history.engagedSince(id) !== undefined);
  const since = engaged.flatMap((id) => session.history.engagedSince(id) ?? []);
  if (since.length === 0) return undefined;
  // The run that asked keeps out the answer to what it asked.
  if (error.breaks?.requirement === 'CHAT-6' && engaged.every((id) => session.history.onlyAsked(id))) return undefined;
  if (since.some((at) => at < began)) {
    // Another intern has been left nothing to do.
    forget(pool);
    if (isTheRule) return { again: 0 };
  } else if (isTheRule) return undefined;
  const why = `the intern was busy, perhaps with what the run had left it to do: ${brief(error.actual, 160)}`;
  return { again: 0, skip: { need: 'an intern that is free', why: session.redactor.text(why), kind: 'race' } };
}

/** How many checks are tried again whose prompt was not taken: where that does not help, it will not help the others. */
const ENOUGH = 3;

/** Whether a prompt that was not taken (502, 503, 504), by the intern or by what stands before it, may be taken the next time. */
export const mayBeTaken = ({ pool }: RunContext, error: unknown): boolean =>
  error instanceof Unmet && error.need === NOT_TAKEN && pool.notTaken < ENOUGH;

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
const lag = async ({ run, tried, inCompany }: Found): Promise<Circumstance | undefined> => {
  let lags = await readsLag(run, tried);
  if (lags === 'no room' && inCompany === true) return { again: 0 };
  for (let times = 1; lags === 'no room'; times++) {
    await makeRoom(run);
    // Where reads are late, what is torn down may be taken for gone.
    await run.host.sleep(times * LATER, run.signal);
    lags = await readsLag(run, tried, { cramped: times === ROOMS });
  }
  return lags ? { again: 0, learnt: true } : undefined;
};

/** Which characters a text may have, is at most published (CREATE-5). */
const oddText = async ({ run, check, tried }: Found): Promise<Circumstance | undefined> =>
  check.requirement !== 'CREATE-5' && (await takesPlainTexts(run, tried)) ? { again: 0 } : undefined;

/** What stands before a deployment may take a body for an attack. */
async function firewall({ run, tried, error }: Found): Promise<Circumstance | undefined> {
  if (!/^403\b/.test(String(error.actual))) return undefined;
  const why = await barred(run, tried);
  if (why === undefined) return undefined;
  return { skip: { need: 'a way past the firewall', why: run.session.redactor.text(why), kind: 'need' } };
}

/** The target may have room for a few interns only. */
async function room({ run, tried, error }: Found): Promise<Circumstance | undefined> {
  const { full } = run.session;
  const why = await noRoom(run, tried);
  // What has room now had none a moment ago, perhaps.
  if (why === undefined) return wantsSuccess(error) && mayLackRoom(run, tried) ? { again: LATER } : undefined;
  const skip: Skip = { need: 'room for another intern', why: run.session.redactor.text(why), kind: 'need' };
  return { again: 0, skip, ...(full === undefined ? { learnt: true } : {}) };
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
];

/**
 * What stands behind a finding on a deployment where that is no breach of it: the principle is that a finding rests on what
 * the interface states, and that whatever else it needs is observed. Undefined where nothing was found.
 */
export async function circumstance(found: Found): Promise<Circumstance | undefined> {
  // What gives no answer is not asked whether it is late.
  const looks = found.error instanceof NoAnswer ? [gone, dropped] : CIRCUMSTANCES;
  for (const look of looks) {
    const seen = await look(found);
    if (seen !== undefined) return seen;
  }
  return undefined;
}
