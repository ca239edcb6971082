import { rewritten } from '../../emulator/wire/answer.js';
import { about } from '../../emulator/wire/request.js';
import type { Serve } from '../../emulator/wire/serve.js';
import { makeRoom } from './capacity.js';
import { beside, type Habit, idIn, unknown } from './habit.js';
import { mayBeLate, readsLag } from './measure-lag.js';
import { LATER } from './visit.js';

/** ms by which each replica lags. Any replica may answer a read. */
const ONE_REPLICA = [1_000];
const REPLICAS = [0, 400, 1_200];
const lagOf = (replicas: readonly number[], random: () => number) =>
  replicas[Math.floor(random() * replicas.length)] ?? 0;

/** Reads come from lagging replicas: a new intern is missing, and a changed one shows its old values. */
const readsFrom =
  (replicas: readonly number[]): Serve =>
  (next, { host, random }) => {
    const before = new Map<string, { at: number; answer: Response }>();
    const late = (id: string, answer: Response) => before.set(id, { at: host.now(), answer });
    return async (request) => {
      const { operation, id } = about(request);
      const old = id === undefined ? undefined : before.get(id);
      const reads = operation === 'get' && request.method === 'GET';
      if (reads && old !== undefined && host.now() - old.at < lagOf(replicas, random)) {
        // Every replica refuses a caller who may not read.
        const now = await next(request);
        return now.ok ? old.answer.clone() : now;
      }
      const was = operation === 'update' ? await next(beside(request, String(id), 'GET')) : undefined;
      const response = await next(request);
      if (id !== undefined && was?.ok && response.ok) late(id, was);
      if (operation === 'create' && response.status === 201) late(await idIn(response), unknown());
      return response;
    };
  };

/** Lists come from lagging replicas: the newest interns are missing. */
const listsFrom =
  (replicas: readonly number[]): Serve =>
  (next, { host, random }) => {
    const made = new Map<string, number>();
    return async (request) => {
      const response = await next(request);
      const { operation } = about(request);
      if (operation === 'create' && response.status === 201) made.set(await idIn(response), host.now());
      if (operation !== 'list') return response;
      const late = lagOf(replicas, random);
      return rewritten(response, {
        json(json) {
          const list = json as { data?: { id: string }[] };
          if (list.data === undefined) return;
          list.data = list.data.filter(({ id }) => host.now() - (made.get(id) ?? 0) >= late);
        },
      });
    };
  };

export const lateLists: Habit = {
  id: 'late-lists',
  what: 'lists new interns late',
  serve: listsFrom(ONE_REPLICA),
};

export const lateReads: Habit = {
  id: 'late-reads',
  what: 'shows changes late',
  serve: readsFrom(ONE_REPLICA),
};

/** Most attempts to free capacity for measuring lateness. */
const ROOMS = 3;

/** Lists and reads may lag behind writes. Once the lag is known, they wait. */
const explains: Habit['explains'] = async (sighting, visit) => {
  // An earlier read did not wait, because the lateness was not known yet.
  if (mayBeLate(sighting) && sighting.at < visit.learnt.lag.since) return { again: 0 };
  let lags = await readsLag(sighting, visit);
  for (let times = 1; lags === 'no room'; times++) {
    // A service may count room for each key. The last attempt frees all of it.
    await makeRoom(visit, times === ROOMS ? 0 : undefined);
    // A late read may show an intern in teardown as gone.
    await visit.sleep(times * LATER);
    lags = await readsLag(sighting, visit, { cramped: times === ROOMS });
  }
  return lags ? { again: 0, learnt: true } : undefined;
};

const before: Habit['before'] = ({ id, path }, { dealings, learnt: { lag }, now }) => {
  const left = (ms: number, wrote: number) => ms - Math.max(0, now() - wrote);
  if (id !== undefined) return /^\/interns\/[^/]+$/.test(path) ? left(lag.read, dealings.with(id).wrote) : 0;
  return path === '/interns' ? left(lag.list, dealings.wrote) : 0;
};

export const replicas: Habit = {
  id: 'replicas',
  what: 'is read from replicas',
  kit: 'measures the lag with several writes, since replicas differ, and waits that long after a write',
  before,
  explains,
  serve: (next, setting) => listsFrom(REPLICAS)(readsFrom(REPLICAS)(next, setting), setting),
};
