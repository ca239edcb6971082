import type { AnswerGot } from '../framework/finding.js';
import { bodyOf } from '../probe/operation.js';
import { internPath } from '../probe/request.js';
import type { Attempt } from './attempt.js';
import { takeAwayTogether } from './cleaning.js';
import { keepFewer, kept } from './pool.js';
import type { RunContext } from './run-context.js';
import type { Session } from './session.js';

/** What a service may answer to a create for which it has no room. */
export const REFUSED: ReadonlySet<number> = new Set([402, 403, 409, 422, 429]);
/** A refusal as it is told, and compared with another. */
export const refusal = (status: number, text: string): string => `${status} ${text}`.slice(0, 1_000);
/** Looks at interns that are torn down, and ms in between: longer teardowns are not waited for. */
const LOOKS = 30;
const APART = 1_000;
/** How many interns most checks make at most. */
const MOST_MADE = 2;

/** How many interns may be kept for later checks, so that most find room for what they make. */
export const mayKeep = ({ full }: Pick<Session, 'full'>): number =>
  full === undefined ? Number.POSITIVE_INFINITY : Math.max(1, full.holds - MOST_MADE);

/** How many interns there may be when a check begins: the first that it makes finds room, and while it boots, another is gone. */
const mayStand = ({ full }: Pick<Session, 'full'>): number =>
  full === undefined ? Number.POSITIVE_INFINITY : Math.max(0, full.holds - (full.needed ?? 1));

/** Notes which of the interns that are torn down are gone by now. */
async function look({ ledger, session }: RunContext): Promise<void> {
  for (const { id, as } of ledger.open().filter(({ deleting }) => deleting === true)) {
    const { status } = await session.running.send({ path: internPath(id), as });
    if (status === 404) ledger.write({ event: 'gone', id });
  }
}

/**
 * Where a deployment takes no more than a few interns: what no check needs any more is taken away before the next, until no
 * more than `most` are there. One whose teardown does not end is waited for once.
 */
export async function makeRoom(run: RunContext, most = mayStand(run.session)): Promise<void> {
  if (run.session.full !== undefined) run.session.full = { ...run.session.full, needed: undefined };
  const { host, lane, ledger, pool, session, signal } = run;
  keepFewer(pool, Math.min(most, mayKeep(session)));
  const keep = kept(pool);
  const unused = ledger.open().filter(({ id }) => !keep.has(id));
  await takeAwayTogether(
    run,
    unused.filter(({ deleting }) => deleting !== true),
  );
  lane.made.clear();
  pool.idle.clear();
  const left = () => ledger.open().filter(({ id }) => !pool.staying.has(id));
  for (let looks = 0; left().length > most; looks++) {
    if (looks === LOOKS) for (const { id } of left()) if (!keep.has(id)) pool.staying.add(id);
    if (looks === LOOKS) return;
    await look(run);
    if (left().length > most) await host.sleep(APART, signal);
  }
}

/** Whether a create was refused in a way that a deployment may choose which has no room for another. */
export const mayLackRoom = (run: RunContext, tried: Attempt): boolean => refusedCreate(run, tried) !== undefined;

/** The last create of an attempt that was refused, as it was answered. */
function refusedCreate({ driver }: RunContext, { transcript }: Attempt): AnswerGot | undefined {
  const collection = `${driver.target.baseUrl}/interns`;
  const last = transcript.findLast(
    ({ request, response }) =>
      request.method === 'POST' && request.url === collection && response !== undefined && REFUSED.has(response.status),
  );
  return last?.response === undefined ? undefined : { status: last.response.status, text: bodyOf(last) };
}

/** The target has refused an intern that it has no room for. Room is made before the next check, or the next try of this one. */
export async function noteFull(run: RunContext, told: string, needed?: number): Promise<void> {
  const { ledger, session } = run;
  await look(run);
  const there = ledger.open().length;
  const held = session.full?.holds ?? there;
  // Others may have taken what the run had before.
  session.full = { told, holds: Math.max(1, there < held ? held - 1 : held), needed };
}

/**
 * Whether a create was refused because the deployment takes no further intern, which no sentence forbids: then so is one that
 * asks for nothing but a name, as others did that were taken. Once that is known, the same answer says it. Makes room, as far
 * as it is the run that fills it.
 */
export async function noRoom(run: RunContext, tried: Attempt): Promise<AnswerGot | undefined> {
  const { driver, ledger, obstacles, pool, session } = run;
  const refused = refusedCreate(run, tried);
  if (refused === undefined || session.created() === 0) return undefined;
  let got = refused;
  if (refusal(got.status, got.text) !== session.full?.told) {
    const name = `${session.prefix}${(++pool.count).toString(36)}`;
    const json = { name, workspace_id: driver.target.workspaceId };
    const answer = await session.running.send({ method: 'POST', path: '/interns', json });
    if (answer.status < 400 || answer.status >= 500) return undefined;
    got = { status: answer.status, text: answer.text };
  }
  await noteFull(run, refusal(got.status, got.text));
  obstacles.gone('create');
  // Where some were on their way, the others need not go.
  await makeRoom(run, ledger.open().some(({ deleting }) => deleting === true) ? mayKeep(session) : 0);
  return got;
}
