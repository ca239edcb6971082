import { isDeepStrictEqual } from 'node:util';
import type { Intern } from '../../emulator/contract/intern.js';
import { fail, gist } from '../framework/assert.js';
import type { Ctx, SendOptions } from '../framework/context.js';
import * as expect from '../framework/expect.js';
import type { Send } from '../probe/request.js';

/**
 * Interns are listed in the order `made`, newest first. On a deployment the time of creation may be kept in whole seconds:
 * which of two made in the same one is newer, nobody can say there.
 */
export function newestFirst(
  { target }: Pick<Ctx, 'target'>,
  found: readonly string[],
  made: readonly Pick<Intern, 'id' | 'created_at'>[],
  what: string,
): void {
  const ids = made.map(({ id }) => id);
  const missing = ids.filter((id) => !found.includes(id)).length;
  if (missing > 0) fail(what, 'all that are there', gist(`without ${missing} of ${ids.length}`, found));
  if (found.length > ids.length) fail(what, 'each once', gist('some more than once', found));
  if (target.kind === 'emulator' ? isDeepStrictEqual(found, ids) : asOld(found, ids, made)) return;
  const turned = isDeepStrictEqual(found, ids.toReversed());
  fail(what, 'newest first', gist(turned ? 'oldest first' : 'in another order', found));
}

/** Whether two orders are the same by the time of creation. */
function asOld(one: readonly string[], other: readonly string[], made: readonly Pick<Intern, 'id' | 'created_at'>[]) {
  const times = new Map(made.map(({ id, created_at }) => [id, created_at ?? id]));
  const timesOf = (order: readonly string[]) => order.map((id) => times.get(id));
  return isDeepStrictEqual(timesOf(one), timesOf(other));
}

/** Makes `count` interns of which the service can tell which is newer, the newest first. Costs a second where it tells no less. */
export async function oneAfterAnother({ interns, target, wait }: Ctx, count: number): Promise<Intern[]> {
  const made: Intern[] = [];
  while (made.length < count) {
    const last = made.length === count - 1;
    const same = made.length > 0 && made[0]?.created_at === made.at(-1)?.created_at;
    if (last && same && target.kind === 'live') await wait(1_000);
    made.unshift(await interns.stopped());
  }
  return made;
}

/** What is looked for, and where. */
export interface Look {
  /** Ids that should be there: pages are read on until all were met. Others are at work too, and push them down. */
  readonly having?: readonly string[];
  readonly query?: Send['query'];
  readonly options?: SendOptions;
}

/** Most pages that are read for one look. */
const PAGES = 20;

/**
 * The list, newest first; on a deployment, whose pages may be short, as much of it as it takes to meet what is looked for.
 */
export async function listed(ctx: Pick<Ctx, 'api' | 'target'>, what: string, look: Look = {}): Promise<Intern[]> {
  const { having = [], query = {}, options } = look;
  if (ctx.target.kind === 'emulator') return expect.page(await ctx.api.list(query, options), what).data;
  const data: Intern[] = [];
  let after: string | undefined;
  let limit: { limit?: number } = { limit: 500 };
  for (let pages = 0; pages < PAGES; pages++) {
    const more = after === undefined ? {} : { starting_after: after };
    let answer = await ctx.api.list({ ...query, ...limit, ...more }, options);
    if ([400, 404, 422].includes(answer.status) && limit.limit !== undefined) {
      // The interface does not state paging: a target may know no limit.
      limit = {};
      answer = await ctx.api.list({ ...query, ...more }, options);
    }
    const page = expect.page(answer, what);
    data.push(...page.data);
    if (typeof page.next_cursor !== 'string' || having.every((id) => data.some((intern) => intern.id === id))) break;
    after = page.next_cursor;
  }
  return data;
}
