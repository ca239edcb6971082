import type { Asked, Met, Watched } from '../framework/watch.js';
import { isRow, nameOf, recordsOf } from './met.js';
import { createWrites, keyOf } from './met-writes.js';

/** What a record says of an intern, as far as it is judged: a boot may fail, and `queued` is said of what waits, too. */
type State = 'stopped' | 'booting' | 'running' | 'going' | 'gone';
const STATES: Readonly<Record<string, State>> = {
  stopped: 'stopped',
  provisioning: 'booting',
  running: 'running',
  destroying: 'going',
  destroy_failed: 'going',
};
const UP: ReadonlySet<State | undefined> = new Set(['booting', 'running']);
const GOING: ReadonlySet<State | undefined> = new Set(['going', 'gone']);

const ACTS = ['suspend', 'provision', 'delete'] as const;
type Act = (typeof ACTS)[number];

/** The act that leads from one state to another; services may do each by themselves. */
function actFrom(was: State | undefined, is: State): Act | undefined {
  if (was === undefined || GOING.has(was)) return undefined;
  if (GOING.has(is)) return 'delete';
  if (was === 'running' && is === 'stopped') return 'suspend';
  return was === 'stopped' && UP.has(is) ? 'provision' : undefined;
}

/** What is known of an intern. Times are in ms. */
interface Life {
  readonly id: string;
  readonly by: string | undefined;
  readonly since: number;
  state: State | undefined;
  /** When a record last showed it, when it was last asked for by its id, and when it last had something to do. */
  shown: number;
  asked: number;
  acted: number;
  /** What was accepted last, and when. */
  due: { readonly act: Act; readonly at: number } | undefined;
  /** It was suspended, and no prompt came since that may have woken it. */
  sleeps: boolean;
  /** Refused since a record last showed it. */
  readonly refused: Set<Act>;
  /** What was asked for, or may have been, until its outcome shows. */
  readonly perhaps: Set<Act>;
}

const READ = /^(GET|HEAD|OPTIONS) /;

/** Whether a request may move an intern from one state to another. */
const isWrite = ({ operation }: Asked): boolean =>
  !READ.test(operation) && /^(?!PATCH)\S+ \/interns\/\{internId\}/.test(operation) && !TURN.test(operation);

/** Why a record is not what it should be: of what, what is wanted instead, and what the record says. */
export type Astray = readonly [of: string, wanted: string, got: unknown];

/**
 * ms after which a list shows what a read shows, and within which an accepted suspend or delete shows; where others of the run
 * showed sooner, a few times as long as they took is enough, and no less than some seconds.
 */
const SHOWN = 5_000;
const DONE = { unknown: 120_000, least: 20_000, times: 4 };

/** What an intern is asked to do; a prompt may wake it. */
const TURN = /\/(chat\/completions|invoke|sign)$/;
const PROMPT = /\/(chat\/completions|invoke)$/;

/**
 * Follows the interns of a run through their lives, by the writes that were accepted or refused and by what records show. What a
 * service may do by itself, such as to suspend what is idle, is held against it only where the run has seen that it does not:
 * other interns stayed as they were for as long, and none was met of which that was never asked.
 */
export function createLives({ creatorOf, now, ours }: Pick<Watched, 'creatorOf' | 'now' | 'ours'>) {
  const all = new Map<string, Life>();
  const writes = createWrites(isWrite);
  const isOwn = (id: unknown): id is string => typeof id === 'string' && creatorOf(id) !== undefined;
  /** The longest that an intern of a creator stayed as it was although nobody asked for the act, and acts that came unasked. */
  const spared = new Map<string, number>();
  const unasked = new Set<Act>();
  /** The longest that an accepted one took until it showed. */
  const took: Partial<Record<Act, number>> = {};
  /** Interns that must be seen once more, since what was refused may be done all the same; and those that are astray. */
  const unread = new Set<string>();
  const strays = new Set<string>();

  const isOver = ({ act, at }: NonNullable<Life['due']>): boolean => {
    const most = took[act];
    return passed(at, most === undefined ? DONE.unknown : Math.max(DONE.least, DONE.times * most));
  };
  const passed = (since: number, ms: number): boolean => ours || now() - since >= ms;
  const of = (id: string | undefined): Life | undefined => (id === undefined ? undefined : all.get(keyOf(id)));
  const born = (id: string) => {
    const at = now();
    if (of(id) === undefined)
      all.set(keyOf(id), {
        ...{
          id,
          by: creatorOf(id),
          since: at,
          state: undefined,
          shown: at,
          asked: at,
          acted: at,
          due: undefined,
          sleeps: false,
        },
        refused: new Set(),
        perhaps: new Set(),
      });
  };

  /** A write was answered. */
  function landed(met: Met, life: Life) {
    const name = nameOf(met);
    const act = met.id === life.id ? ACTS.find((one) => one === name) : undefined;
    const became = writes.lands(met);
    if (became === 'refused') {
      // That its state does not allow it may be because it is under way.
      if (act === undefined || met.answer.status === 409) return;
      life.refused.add(act);
      unread.add(life.id);
      return;
    }
    life.state = undefined;
    life.acted = now();
    life.due = became === 'done' && act !== undefined ? { act, at: now() } : undefined;
    life.sleeps = life.due?.act === 'suspend';
    life.refused.clear();
    unread.delete(life.id);
    for (const one of ACTS) if (life.due === undefined || one === act) life.perhaps.add(one);
  }

  /** What is wrong with what a record shows, or a 404. */
  function astray(life: Life, is: State): Astray | undefined {
    const { due, refused, perhaps, sleeps, state: was } = life;
    const overdue = due !== undefined && isOver(due);
    if (due?.act === 'delete') {
      const left = GOING.has(was) && (was === 'gone' ? is !== 'gone' : !GOING.has(is));
      if (left) return ['status of an intern that was torn down', 'no other one again', { is, was }];
      return overdue && !GOING.has(is) ? ['status after an accepted delete', 'torn down, or gone', is] : undefined;
    }
    if (due?.act === 'suspend' && overdue && sleeps && was !== 'stopped' && UP.has(is))
      return ['status after an accepted suspend', 'stopped', is];
    const act = actFrom(was, is);
    if (act === undefined) return undefined;
    if (act === 'provision' && sleeps)
      return ['status of a suspended intern', 'stopped until it is provisioned', { is, was }];
    if (perhaps.has(act)) return undefined;
    if (!refused.has(act)) {
      unasked.add(act);
      return undefined;
    }
    const span = now() - (act === 'delete' ? life.since : life.acted);
    if (!ours && (unasked.has(act) || span > (spared.get(`${act} ${life.by}`) ?? -1))) return undefined;
    return [`status after a refused ${act}`, 'as before', { is, was }];
  }

  /** Notes what an intern is shown to be. */
  function shows(life: Life, is: State | undefined): Astray | undefined {
    const wrong = is === undefined ? undefined : astray(life, is);
    if (wrong !== undefined) {
      unread.add(life.id);
      // What it was just before may be shown late.
      if (!passed(life.acted, SHOWN)) return undefined;
      strays.add(life.id);
      return wrong;
    }
    const at = now();
    const spares = (act: Act, since: number) => {
      const key = `${act} ${life.by}`;
      if (!life.refused.has(act) && !life.perhaps.has(act))
        spared.set(key, Math.max(spared.get(key) ?? -1, at - since));
    };
    if (is === 'running' && life.state === 'running') spares('suspend', life.asked);
    if (is === 'stopped' && life.state === 'stopped' && !life.sleeps) spares('provision', life.asked);
    if (!GOING.has(is)) spares('delete', life.since);
    if (is !== life.state) life.acted = at;
    if (is === 'stopped') life.perhaps.delete('suspend');
    if (is === 'running') life.perhaps.delete('provision');
    const { due } = life;
    if (due !== undefined && (due.act === 'delete' ? GOING.has(is) && !GOING.has(life.state) : is === 'stopped'))
      took[due.act] = Math.max(took[due.act] ?? 0, at - due.at);
    if (due?.act !== 'delete' && !UP.has(is)) life.due = undefined;
    life.state = is;
    life.shown = at;
    life.asked = at;
    life.refused.clear();
    unread.delete(life.id);
    return undefined;
  }

  /** A read of its creator that finds no such intern. */
  const isGone = ({ as, id = '', answer: { status, json } }: Met): boolean =>
    status === 404 && isRow(json) && isRow(json.error) && as === creatorOf(id) && of(id)?.id === id;

  return {
    unread,
    strays,
    asks(asked: Asked) {
      writes.asks(asked);
      const { id, operation } = asked;
      const life = of(id);
      if (life === undefined || READ.test(operation)) return;
      life.asked = now();
      if (!TURN.test(operation)) return;
      life.acted = now();
      if (!PROMPT.test(operation)) return;
      life.sleeps = false;
      if (life.state === 'stopped') life.state = undefined;
      life.perhaps.add('provision');
    },
    /** Whether an answer shows interns of the run, and the first that is not what it should be. */
    sees(met: Met): { readonly judged: boolean; readonly wrong?: Astray | undefined } {
      const name = nameOf(met);
      const one = of(met.id);
      if (one !== undefined && isWrite(met)) landed(met, one);
      if (name === 'create') for (const { id } of recordsOf(met)) if (isOwn(id)) born(id);
      if (name !== 'get' && name !== 'list') return { judged: false };
      const shown: (readonly [Life | undefined, State | undefined])[] = recordsOf(met).map(({ id, status }) => [
        typeof id === 'string' ? of(id) : undefined,
        STATES[String(status)],
      ]);
      if (name === 'get' && isGone(met)) shown.push([one, 'gone']);
      let judged = false;
      let wrong: Astray | undefined;
      // The oldest first: how others fared that are as old, shows what may happen to it.
      for (const [life, state] of shown.reverse()) {
        if (life === undefined || !writes.isFresh(met, life.id)) continue;
        judged = true;
        // The others are noted, too.
        const found = shows(life, state);
        wrong ??= found;
      }
      return { judged, wrong };
    },
    /** Interns that reads or lists have shown to be there, made some seconds before an answer, and that nobody has deleted. */
    there: (met: Met): readonly string[] =>
      [...all.values()].flatMap(({ id, since, state, due, perhaps, refused }) => {
        const stays = state !== undefined && !GOING.has(state) && due?.act !== 'delete';
        const leaves = perhaps.has('delete') || refused.has('delete') || !writes.isFresh(met, id);
        return stays && !leaves && passed(since, SHOWN) ? [id] : [];
      }),
    forgets() {
      all.clear();
      unread.clear();
      writes.forget();
    },
  };
}
