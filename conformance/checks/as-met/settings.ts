import { fail } from '../../framework/assert.js';
import { checksOf } from '../../framework/check.js';
import type { Ctx } from '../../framework/context.js';
import type { Met, Watch, Watched } from '../../framework/watch.js';
import { isRow, nameOf, type Row, recordsOf } from '../../helpers/met.js';
import { createWrites } from '../../helpers/met-writes.js';

const SETTINGS = ['name', 'description', 'instructions', 'model'] as const;
type Settings = Partial<Record<(typeof SETTINGS)[number], unknown>>;

const settingsOf = (record: Row): Settings => Object.fromEntries(SETTINGS.map((key) => [key, record[key] ?? null]));

/** A service may show the model that it will run with, where none was chosen. */
const differs = (key: string, now: unknown, was: unknown): boolean =>
  now !== was && (key !== 'model' || (now !== null && was !== null));

/**
 * "Omitted fields stay unchanged." What the answer to an accepted create or update says of the settings is what every later
 * record shows, until another update is accepted: through boots, suspensions, and updates that were refused.
 */
export function settings({ creatorOf }: Pick<Watched, 'creatorOf'>): Watch {
  const all = new Map<string, Settings>();
  const writes = createWrites(({ operation }) => operation.startsWith('PATCH '));
  /** Those of whom an update was refused since they were last read: it may be done all the same. */
  const unread = new Set<string>();
  const strays = new Set<string>();
  const isOwn = (id: unknown): id is string => typeof id === 'string' && creatorOf(id) !== undefined;
  const forget = (id: string) => {
    all.delete(id);
    unread.delete(id);
  };

  /** Holds a record to what is known of its intern, but for some of the settings. */
  const compare = (record: Row, known: Settings, but: readonly string[]): boolean => {
    const shown = settingsOf(record);
    const keys = SETTINGS.filter((key) => key in known && !but.includes(key));
    for (const key of keys)
      if (differs(key, shown[key], known[key]))
        fail(`${key} of an intern`, 'what was accepted last', { is: shown[key], was: known[key] });
    return keys.length > 0;
  };

  /** An update was answered. */
  const updated = (met: Met, id: string): boolean => {
    const before = all.get(id) ?? {};
    const landed = writes.lands(met);
    const { json } = met.answer;
    if (landed === 'unknown') all.delete(id);
    if (landed === 'refused' && isOwn(id)) unread.add(id);
    if (landed !== 'done' || !isRow(json)) return false;
    all.set(id, settingsOf(json));
    return isRow(met.send.json) && compare(json, before, Object.keys(met.send.json));
  };

  return {
    lasts: true,
    unread,
    strays,
    asks: writes.asks,
    sees(met: Met): boolean {
      const name = nameOf(met);
      if (met.id !== undefined && name === 'update') return updated(met, met.id);
      if (met.id !== undefined && name === 'delete' && met.answer.status < 300) forget(met.id);
      let judged = false;
      for (const record of recordsOf(met)) {
        const { id } = record;
        if (!isOwn(id) || !writes.isFresh(met, id)) continue;
        // A create that is sent again may answer what it answered first, and a read may be late.
        if (name === 'create') {
          if (writes.isNew(id)) all.set(id, settingsOf(record));
          continue;
        }
        for (const ids of [unread, strays]) ids.add(id);
        // A list may say less of each than a read.
        const unsaid = name === 'list' ? SETTINGS.filter((key) => !(key in record)) : [];
        judged = compare(record, all.get(id) ?? {}, unsaid) || judged;
        // Where it differs, it is seen once more.
        for (const ids of [unread, strays]) ids.delete(id);
      }
      return judged;
    },
    forgets() {
      all.clear();
      unread.clear();
      writes.forget();
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
