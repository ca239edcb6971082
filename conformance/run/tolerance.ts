import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { Intern } from '../../emulator/contract/intern.js';
import { oneOfRows } from '../arbitraries/one-of.js';
import { plainText, readable, text } from '../arbitraries/text.js';
import { equal, fail, gist } from '../framework/assert.js';
import type { Ctx } from '../framework/context.js';
import * as expect from '../framework/expect.js';
import { byTheIntern, lacking, raced } from '../framework/skip.js';
import type { RunContext } from './session.js';

/** Most pages that are read for one look. */
const PAGES = 20;

/** The fields of a record that stay the same while nobody changes it. */
const STAYS = [
  'id',
  'name',
  'description',
  'instructions',
  'model',
  'status',
  'workspace_id',
  'vault_id',
  'attached_vault_id',
  'created_at',
] as const;

/** ms after which a read must show what was written, and between two looks at what may be late. */
export const LATE_READ = 10_000;
const MOMENT = 1_000;

const isNamed = <T>(item: T): item is T & { readonly name: string } =>
  typeof item === 'object' && item !== null && 'name' in item && typeof item.name === 'string';

/** One of the items. A counterexample shows one that has a name by it. */
const oneOf = <T>(items: readonly T[]): fc.Arbitrary<T> =>
  items.every(isNamed) ? oneOfRows(items, ({ name }) => name) : fc.constantFrom(...items);

/** The interns in the order `made`, as far as their times of creation tell. */
function isAsOld(found: readonly string[], made: readonly Pick<Intern, 'id' | 'created_at'>[]): boolean {
  const times = new Map(made.map(({ id, created_at }) => [id, created_at ?? id]));
  const timesOf = (order: readonly string[]) => order.map((id) => times.get(id));
  return isDeepStrictEqual(timesOf(found), timesOf(made.map(({ id }) => id)));
}

/**
 * The part of a check's context that knows what kind of target it is, so that no check has to. On an emulator scripts decide, nobody else acts, and requests cost nothing: it is
 * held to everything at once.
 */
export function createTolerance(
  { driver, pool, session, settings, host }: RunContext,
  { api, property, random, signal }: Pick<Ctx, 'api' | 'property' | 'random'> & { readonly signal: AbortSignal },
) {
  const controlled = driver.control !== undefined;
  const unmet: Ctx['unmet'] = (need, note, got) => {
    const met = { ...(note === undefined ? {} : { note }), ...(got === undefined ? {} : { got }) };
    throw lacking({ kind: 'met', need, ...met });
  };
  const sample: Ctx['sample'] = (items, few = 1) => {
    if (controlled || settings.thorough || few >= items.length) return items;
    const left = [...items];
    const taken: typeof left = [];
    while (taken.length < few && left.length > 0) taken.push(...left.splice(Math.floor(random() * left.length), 1));
    return taken;
  };
  return {
    unmet,
    assume(holds, need, note, got) {
      if (holds || controlled) return;
      if (typeof need === 'string') unmet(need, note, got);
      throw lacking(need);
    },
    internDid(holds, { finding, ...observed }) {
      if (holds) return;
      if (!controlled) throw byTheIntern({ kind: 'did-otherwise', ...observed });
      if (finding !== undefined) fail(finding.what, finding.expected, finding.actual);
    },
    undisturbed(holds, what, expected, actual) {
      if (holds) return;
      if (controlled) fail(what, expected, actual);
      throw raced({ kind: 'disturbed', of: what, got: actual });
    },
    async eventually(read, holds, within = LATE_READ) {
      const until = host.now() + (controlled ? 0 : within);
      for (;;) {
        const value = await read();
        if (holds(value) || host.now() >= until) return value;
        await host.sleep(MOMENT, signal);
      }
    },
    sample,
    async each(name, items, look, few = 1) {
      if (!controlled && few === 1) return property(name, oneOf(items), look);
      for (const item of sample(items, few)) await look(item);
    },
    async twin(name, accepted) {
      if (!controlled && pool.accepted.has(name)) return;
      await accepted();
      pool.accepted.add(name);
    },
    upTo: (many, few) => (controlled ? many : few),
    same(one, other, of) {
      if (controlled) return equal(one, other, of);
      const [mine, its] = [one, other].map((record) => Object.fromEntries(STAYS.map((key) => [key, record[key]])));
      equal(mine, its, of);
    },
    newestFirst(found, made, of) {
      const ids = made.map(({ id }) => id);
      const missing = ids.filter((id) => !found.includes(id)).length;
      if (missing > 0) fail(of, 'all that are there', gist(`without ${missing} of ${ids.length}`, found));
      if (found.length > ids.length) fail(of, 'each once', gist('some more than once', found));
      if (controlled ? isDeepStrictEqual(found, ids) : isAsOld(found, made)) return;
      const turned = isDeepStrictEqual(found, ids.toReversed());
      fail(of, 'newest first', gist(turned ? 'oldest first' : 'in another order', found));
    },
    /**
     * The list, newest first. Where the one page of an emulator is not all of it, as much of it as it takes to meet what is
     * looked for: pages may be short there, and others at work push entries down.
     */
    async listed(of, { having = [], query = {}, options } = {}) {
      if (controlled) return expect.page(await api.list(query, options), of).data;
      const data: Intern[] = [];
      let after: string | undefined;
      let limit: { limit?: number } = { limit: 500 };
      for (let pages = 0; pages < PAGES; pages++) {
        const more = after === undefined ? {} : { starting_after: after };
        let answer = await api.list({ ...query, ...limit, ...more }, options);
        if ([400, 404, 422].includes(answer.status) && limit.limit !== undefined) {
          // The interface does not state paging: a target may know no limit.
          limit = {};
          answer = await api.list({ ...query, ...more }, options);
        }
        const page = expect.page(answer, of);
        data.push(...page.data);
        if (typeof page.next_cursor !== 'string' || having.every((id) => data.some((one) => one.id === id))) break;
        after = page.next_cursor;
      }
      return data;
    },
    texts: (constraints = {}) =>
      controlled ? text(constraints) : session.learnt.plain ? plainText(constraints) : readable(constraints),
  } satisfies Partial<Ctx>;
}
