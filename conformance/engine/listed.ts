import type { Intern } from '../../emulator/contract/intern.js';
import type { Ctx } from '../framework/context.js';
import * as expect from '../framework/expect.js';

/** Most pages that are read for one look. */
const PAGES = 20;

/**
 * The list, newest first. Where the one page of an emulator is not all of it, as much of it as it takes to meet what is
 * looked for: pages may be short there, and others at work push entries down.
 */
export const createListed =
  (api: Ctx['api'], controlled: boolean): Ctx['listed'] =>
  async (of, { having = [], query = {}, options } = {}) => {
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
      if (typeof page.next_cursor !== 'string' || having.every((id) => data.some((intern) => intern.id === id))) break;
      after = page.next_cursor;
    }
    return data;
  };
