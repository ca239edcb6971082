import fc from 'fast-check';
import { fail, form, match, ok } from '../framework/assert.js';
import { checksOf } from '../framework/check.js';
import type { Ctx } from '../framework/context.js';
import * as expect from '../framework/expect.js';
import { DIGEST } from '../helpers/operations.js';
import type { Answer } from '../probe/client.js';
import { internPath, type Send } from '../probe/request.js';

const JSON_TYPE = form(/^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i, 'application/json');

/** Requests that are refused, each for one reason. */
const errors = ({ interns, wrongKey }: Ctx): readonly (readonly [string, number, Send])[] => [
  ['a request without a key', 401, { path: '/interns', as: null }],
  ['a request with a wrong key', 401, { path: '/interns', as: wrongKey }],
  ['a read of an unknown intern', 404, { path: internPath(interns.unknownId()) }],
  ['a list with a bad limit', 400, { path: '/interns?limit=0' }],
  ['a create without a name', 400, { method: 'POST', path: '/interns', json: {} }],
  [
    'an API key on the signing route of an unknown intern',
    404,
    {
      method: 'POST',
      path: internPath(interns.unknownId(), '/daemon/sign'),
      json: { bodySha256: DIGEST },
    },
  ],
];

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
  'base/json-content-type': {
    requirement: 'BASE-2',
    title: 'Bodies are JSON with a JSON content type, of answers and of errors.',
    needs: ['write'],
    async run(ctx) {
      const { api, interns, send } = ctx;
      const body = interns.body();
      const created = await api.create(body);
      const { id } = expect.intern(created, expect.CREATED, 'a create');
      const answers: [string, Answer][] = [
        ['create', created],
        ['list', await api.list({ limit: 1 })],
        ['get', await api.get(id)],
        ['update', await api.update(id, { description: 'seen' })],
        ['delete', await api.remove(id)],
      ];
      for (const [what, , request] of errors(ctx)) answers.push([what, await send(request)]);
      for (const [what, answer] of answers) {
        if (answer.status === 204) continue;
        ok(answer.json !== undefined, `body of ${what}`, 'JSON', answer.text.slice(0, 200));
        match(answer.headers.get('content-type'), JSON_TYPE, `content-type of ${what}`);
      }
    },
  },
  'base/error-envelope': {
    requirement: 'BASE-3',
    title: 'An error is {error: {code, message, metadata?}} with the HTTP status as its code.',
    needs: [],
    async run(ctx) {
      await ctx.each('errors', errors(ctx), async ([what, status, request]) => {
        const answer = await ctx.send(request);
        // That a limit is checked, and that a name is needed, is published, not stated.
        if (status === 400 && answer.status < 400) return;
        expect.refused(answer, what);
        // The envelope carries what is stated of the refusal. Whether the intern or the kind of the credential is checked
        // first is not stated.
        const reason = answer.status === 403 ? 'personal_identity_required' : 'not_found';
        const stated = request.path?.endsWith('/sign') ? { reason, retryable: false } : {};
        expect.error(answer, { status: answer.status, ...stated }, what);
      });
    },
  },
  'base/regional-refused': {
    title: 'A request on a regional hostname is refused; the same one on the usual host is not.',
    needs: ['regional_host'],
    async run({ api, target, interns, send }) {
      const host = target.regionalHost ?? '';
      expect.page(await api.list({ limit: 1 }), 'the list on the usual host');
      notServed(await api.list({ limit: 1 }, { host }), 'GET /interns');
      notServed(await api.create(interns.body(), { host }), 'POST /interns');
      notServed(
        await send({ method: 'POST', path: internPath(interns.unknownId(), '/daemon/sign'), host, json: {} }),
        'POST …/daemon/sign',
      );
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
    title: 'A host is regional when it starts with `eu.`, in any case, and not when it only contains that.',
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
