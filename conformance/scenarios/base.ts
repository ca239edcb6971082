import fc from 'fast-check';
import { fail, match } from '../model/assert.js';
import type { Answer } from '../probe/client.js';
import { checksOf } from '../run/check.js';
import * as expect from '../run/expect.js';

/** The base address of the target with another path. */
const outsideBase = (baseUrl: string, path: string) => `${baseUrl.replace(/\/api\/v1$/, '')}${path}`;

const isList = (answer: Answer) =>
  answer.status < 300 && Array.isArray((answer.json as { data?: unknown } | undefined)?.data);

export const BASE = checksOf('BASE-4', {
  'base/version-segment': {
    requirement: 'BASE-1',
    title: 'The same path without the version segment is not served.',
    needs: [],
    async run(ctx) {
      const { send, target } = ctx;
      match(target.baseUrl, /\/api\/v1$/, 'base address');
      const twin = await send({ path: '/interns?limit=1' });
      expect.page(twin, 'the list below the base');
      await ctx.each(
        'paths',
        ['/interns', '/api/interns'],
        async (path) => {
          const answer = await send({ url: outsideBase(target.baseUrl, `${path}?limit=1`) });
          if (isList(answer)) fail(`GET ${path}`, 'not served', expect.seen(answer));
        },
        2,
      );
    },
  },
  'base/outside-is-404': {
    requirement: 'BASE-5',
    title: 'A path outside the base is 404, with and without a key.',
    needs: ['control'],
    async run({ send, target, property }) {
      const path = fc.constantFrom('/interns', '/api/interns', '/v1/interns', '/api/v2/interns', '/api/v1x/interns');
      await property('paths', path, fc.boolean(), async (below, keyed) => {
        const answer = await send({ url: outsideBase(target.baseUrl, below), ...(keyed ? {} : { as: null }) });
        expect.status(answer, 404, `GET ${below}`);
      });
    },
  },
});
