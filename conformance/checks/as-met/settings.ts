import { fail } from '../../framework/assert.js';
import { checksOf } from '../../framework/check.js';
import type { Ctx } from '../../framework/context.js';
import type { Asked, Met, Watch, Watched } from '../../framework/watch.js';
import { isRow, nameOf, type Row, recordsOf } from '../../helpers/met.js';
import type { Send } from '../../probe/request.js';

const SETTINGS = ['name', 'description', 'instructions', 'model'] as const;
type Settings = Partial<Record<(typeof SETTINGS)[number], unknown>>;

/** What is known of one intern. Moments count what the watch has seen. */
interface Known {
  settings: Settings;
  /** Updates whose answer is not there yet, and whether there were several at once. */
  flying: number;
  mixed: boolean;
  /** When an update last left, or was answered. */
  moved: number;
}

const settingsOf = (record: Row): Settings => Object.fromEntries(SETTINGS.map((key) => [key, record[key] ?? null]));

/** A service may show the model that it will run with, where none was chosen. */
const differs = (key: string, now: unknown, was: unknown): boolean =>
  now !== was && (key !== 'model' || (now !== null && was !== null));

/**
 * "Omitted fields stay unchanged." What the answer to an accepted create or update says of the settings is what every later
 * record shows, until another update is accepted: through boots, suspensions, and updates that were refused.
 */
export function settings({ creatorOf }: Pick<Watched, 'creatorOf'>): Watch {
  const all = new Map<string, Known>();
  const left = new WeakMap<Send, number>();
  /** Those of whom an update was refused since they were last read: it may be done all the same. */
  const unread = new Set<string>();
  let moment = 0;
  const isOwn = (id: unknown): id is string => typeof id === 'string' && creatorOf(id) !== undefined;
  const of = (id: string): Known => {
    const known = all.get(id) ?? { settings: {}, flying: 0, mixed: false, moved: 0 };
    all.set(id, known);
    return known;
  };

  const forget = (id: string) => {
    all.delete(id);
    unread.delete(id);
  };

  /** Holds a record to what is known of its intern, but for the settings that were just sent. */
  const compare = (met: Met, record: Row, known: Settings, sent: Row = {}): boolean => {
    const shown = settingsOf(record);
    const keys = SETTINGS.filter((key) => key in known && !(key in sent));
    for (const key of keys)
      if (differs(key, shown[key], known[key]))
        fail(`${key} of an intern in ${met.operation}`, 'what was accepted last', { is: shown[key], was: known[key] });
    return keys.length > 0;
  };

  /** An update was answered. */
  const updated = (met: Met, id: string): boolean => {
    const known = of(id);
    const { status, json } = met.answer;
    const alone = !known.mixed && known.flying === 1;
    known.flying = Math.max(0, known.flying - 1);
    known.moved = ++moment;
    const refused = status >= 400 && status < 500 && status !== 408;
    const before = known.settings;
    if (!alone || (!refused && !(isRow(json) && status < 300))) known.settings = {};
    if (known.flying === 0) known.mixed = false;
    if (refused && isOwn(id)) unread.add(id);
    if (!alone || refused || !isRow(json) || status >= 300) return false;
    known.settings = settingsOf(json);
    return isRow(met.send.json) && compare(met, json, before, met.send.json);
  };

  return {
    lasts: true,
    unread,
    asks({ send, id, operation }: Asked) {
      left.set(send, ++moment);
      if (id === undefined || !operation.startsWith('PATCH ')) return;
      const known = of(id);
      known.moved = moment;
      known.mixed ||= ++known.flying > 1;
    },
    sees(met: Met): boolean {
      const name = nameOf(met);
      if (met.id !== undefined && name === 'update') return updated(met, met.id);
      if (met.id !== undefined && name === 'delete' && met.answer.status < 300) forget(met.id);
      const since = left.get(met.send) ?? Number.POSITIVE_INFINITY;
      let judged = false;
      for (const record of recordsOf(met)) {
        const { id } = record;
        if (!isOwn(id)) continue;
        const known = of(id);
        if (known.flying > 0 || known.moved > since) continue;
        // A create that is sent again may answer what it answered first, and a read may be late.
        if (name === 'create') {
          if (known.moved === 0) known.settings = settingsOf(record);
          continue;
        }
        unread.add(id);
        judged = compare(met, record, known.settings) || judged;
        // Where it differs, it is seen once more.
        unread.delete(id);
      }
      return judged;
    },
    forgets() {
      all.clear();
      unread.clear();
    },
  };
}

/** All that leaves settings as they are: another field's update, a refused one, a boot and a suspension. */
async function meet({ api, interns }: Ctx): Promise<void> {
  const { id } = await interns.running({ description: 'first', instructions: 'Be brief.' });
  await api.update(id, { description: 'second' });
  await api.get(id);
  await api.update(id, { description: 'third', model: 7 });
  await api.update(id, { description: 'of others' }, { as: 'foreign_api_key' });
  await api.get(id);
  await api.suspend(id);
  await interns.untilSuspended(id);
  await api.list();
  await api.provision(id);
  await interns.until(id, ['running']);
}

/** LIFE-1: the settings of the interns of a run. */
export const SETTINGS_AS_MET = checksOf('LIFE-1', {
  'as-met/settings': {
    title: 'Every record that the run met shows the settings that its intern was last given.',
    needs: [],
    watch: settings,
    run: meet,
  },
});
