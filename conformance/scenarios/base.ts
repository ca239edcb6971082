import fc from 'fast-check';
import { fail, match } from '../framework/assert.js';
import { checksOf } from '../framework/check.js';
import * as expect from '../framework/expect.js';
import type { Answer } from '../probe/client.js';
import { internPath } from '../probe/request.js';

/** The base address of the target with another path. */
const outsideBase = (baseUrl: string, path: string) => `${baseUrl.replace(/\/api\/v1$/, '')}${path}`;

const isList = (answer: Answer) =>
  answer.status < 300 && Array.isArray((answer.json as { data?: unknown } | undefined)?.data);

/** A request on a regional hostname is not served. */
function notServed(answer: Answer, what: string): void {
  expect.refused(answer, 'a request on a regional hostname', { because: { kind: 'note', note: `served, ${what}` } });
}

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
  'base/regional-scim-refused': {
    title: 'The SCIM read on a regional hostname is refused.',
    needs: ['regional_host', 'management_key', 'scim_mapping'],
    async run({ api, target }) {
      const id = target.scimMappingId ?? '';
      expect.status(await api.scim(id, { as: 'management_key' }), 200, 'the mapping on the usual host');
      const answer = await api.scim(id, { as: 'management_key', host: target.regionalHost ?? '' });
      notServed(answer, 'GET /scim/group-mappings/…');
    },
  },
  'base/regional-forbidden': {
    level: 'P',
    title: 'On a regional hostname every path and credential is 403 `Forbidden` without metadata.',
    needs: ['regional_host'],
    async run({ api, target, interns, send, property, wrongKey }) {
      const host = target.regionalHost ?? '';
      // A request that is served at all breaks the stated sentence.
      notServed(await api.list({ limit: 1 }, { host }), 'GET /interns');
      const unknown = internPath(interns.unknownId());
      const path = fc.constantFrom('/interns', unknown, `${unknown}/daemon`, '/scim/x');
      await property('requests', path, fc.constantFrom('GET', 'POST'), fc.boolean(), async (below, method, keyed) => {
        const answer = await send({ path: below, method, host, ...(keyed ? {} : { as: wrongKey }) });
        expect.error(answer, { status: 403, message: 'Forbidden', metadata: 'absent' }, `${method} ${below}`);
      });
    },
  },
  'base/regional-by-beginning': {
    level: 'C',
    title: 'A host is regional if it starts with `eu.`, in any case, but not if it only contains that.',
    needs: ['control'],
    async run({ api, target, property }) {
      // Names below localhost: a listener on loopback refuses others (421), and `eu-127.0.0.1` is no valid host.
      const host = `localhost:${new URL(target.baseUrl).port || '80'}`;
      await property(
        'hosts',
        fc.constantFrom('eu.', 'EU.', 'Eu.', 'neu.', 'my.eu.', 'eu-x.', 'europe.'),
        async (begin) => {
          const answer = await api.list({ limit: 1 }, { host: `${begin}${host}` });
          const regional = begin.toLowerCase() === 'eu.';
          expect.status(answer, regional ? 403 : 200, `the list on ${begin}…`);
        },
      );
    },
  },
});
