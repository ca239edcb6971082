import { equal, notEqual } from '../framework/assert.js';
import { checksOf } from '../framework/check.js';
import * as expect from '../framework/expect.js';
import { textBytes } from '../helpers/bytes.js';
import { NOT_FOUND } from '../helpers/directory.js';
import { onRunning, onStopped } from '../helpers/interns.js';
import { BY_KEY, PATHS, request } from '../helpers/operations.js';
import { internPath, type Send } from '../probe/request.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/** Paths below an intern that no operation has. */
const UNKNOWN = [
  ...['x', 'daemons', 'chat', 'sign', 'completions', '0', 'Provision', 'daemon%2Fsign'].map((one) => `${one}/y`),
  'provision/x',
];

export const PATH_CHECKS = checksOf('BASE-5', {
  'base/unknown-path': {
    title: 'An unknown path is 404 not_found; under /scim without metadata, and outside the base for any caller.',
    ...onStopped(['control', 'write', 'management_key'], async ({ send, target }, intern) => {
      for (const below of UNKNOWN)
        for (const method of ['GET', 'POST', 'DELETE']) {
          const answer = await send({ method, path: internPath(intern.id, `/${below}`) });
          expect.error(answer, { status: 404, reason: 'not_found', retryable: false }, `${method} …/${below}`);
        }
      for (const below of ['', '/mappings', '/group-mappings/a/b', '/Users']) {
        const answer = await send({ path: `/scim${below}`, as: 'management_key' });
        expect.error(answer, NOT_FOUND, `/scim${below}`);
      }
      for (const below of ['/interns', '/api/interns', '/v1/interns', '/api/v2/interns', '/api/v1x/interns'])
        for (const as of ['api_key', null] as const) {
          const answer = await send({ url: target.baseUrl.replace(/\/api\/v1$/, below), as });
          expect.status(answer, 404, `GET ${below} outside the base`);
        }
    }),
  },
  'base/method-not-allowed': {
    title: 'A known path with another method is 405, with OPTIONS 204: either has the methods of the path in Allow.',
    ...onStopped(['control', 'write', 'management_key', 'scim_mapping', 'regional_host'], async (ctx, intern) => {
      const { interns, send, target, wrongKey } = ctx;
      const scim = { path: () => `/scim/group-mappings/${target.scimMappingId}`, methods: ['GET', 'PATCH', 'DELETE'] };
      for (const row of [...PATHS, scim]) {
        const path = row.path(intern.id);
        for (const method of METHODS) {
          if (row.methods.includes(method === 'HEAD' ? 'GET' : method)) continue;
          const what = `${method} ${path}`;
          const answer = await send({ method, path, as: row === scim ? 'management_key' : 'api_key' });
          expect.status(answer, method === 'OPTIONS' ? 204 : 405, what);
          if (!['HEAD', 'OPTIONS'].includes(method) && row !== scim)
            expect.error(answer, { status: 405, reason: 'method_not_allowed', retryable: false }, what);
          const allowed = (answer.headers.get('allow') ?? '').split(',').map((one) => one.trim());
          for (const one of METHODS.slice(0, -2))
            equal(allowed.includes(one), row.methods.includes(one), `${one} in Allow of ${what}`);
        }
      }
      // The method comes after the host and the key, and before the intern and the body.
      for (const [over, status] of [
        [{ host: target.regionalHost ?? '' }, 403],
        [{ as: wrongKey }, 401],
        [{ path: internPath(interns.unknownId()), body: textBytes('{"') }, 405],
      ] as const) {
        const answer = await send({ method: 'PUT', path: internPath(intern.id), ...over });
        expect.status(answer, status, 'a wrong method and another mistake');
      }
    }),
  },
  'base/head-as-get': {
    title: 'HEAD answers as GET does, without a body.',
    ...onStopped(['control', 'write', 'management_key', 'scim_mapping'], async (ctx, intern) => {
      const { interns, send, target, wrongKey } = ctx;
      const reads: Send[] = [
        { path: '/interns?limit=2' },
        { path: '/interns?limit=0' },
        { path: internPath(intern.id) },
        { path: internPath(interns.unknownId()) },
        { path: internPath(intern.id), as: wrongKey },
        { path: `/scim/group-mappings/${target.scimMappingId}`, as: 'management_key' },
      ];
      for (const read of reads) {
        const get = await send(read);
        const head = await send({ ...read, method: 'HEAD' });
        equal(head.status, get.status, `status of HEAD ${read.path}`);
        equal(head.bytes.length, 0, `bytes of HEAD ${read.path}`);
        equal(head.headers.get('content-type'), get.headers.get('content-type'), `content-type of HEAD ${read.path}`);
      }
    }),
  },
  'base/request-id-everywhere': {
    requirement: 'BASE-6',
    title: 'Every response carries x-request-id, whatever its status.',
    ...onRunning(['control', 'running', 'management_key', 'regional_host'], async (ctx, intern) => {
      const { interns, send, chat, target, wrongKey } = ctx;
      const { id } = intern;
      const requests: readonly (readonly [string, Send])[] = [
        ['a wrong key', { path: '/interns', as: wrongKey }],
        ['an unknown path', { path: '/nothing/here' }],
        ['a wrong method', { method: 'PUT', path: '/interns' }],
        ['OPTIONS', { method: 'OPTIONS', path: '/interns' }],
        ['HEAD', { method: 'HEAD', path: '/interns?limit=1' }],
        ['a regional host', { path: '/interns', host: target.regionalHost ?? '' }],
        ['no media type', { method: 'POST', path: '/interns', body: textBytes('{}') }],
        ['an unknown mapping', { path: `/scim/group-mappings/${interns.unknownId()}`, as: 'management_key' }],
        ...BY_KEY.filter(({ name }) => !['chat', 'delete', 'suspend'].includes(name)).map(
          (row) => [row.name, request(ctx, row, id)] as const,
        ),
      ];
      for (const [what, one] of requests) {
        const sent = `seen-${what.replaceAll(' ', '-')}`;
        const answer = await send({ ...one, headers: { ...one.headers, 'x-request-id': sent } });
        equal(answer.headers.get('x-request-id'), sent, `x-request-id of ${what}`);
      }
      const own = async () => (await send({ path: '/interns?limit=1' })).headers.get('x-request-id');
      notEqual(await own(), await own(), 'x-request-id of another request');
      const reply = await chat(id, 'Hello.', { headers: { 'x-request-id': 'seen-chat' } });
      await reply.end();
      equal(reply.headers.get('x-request-id'), 'seen-chat', 'x-request-id of chat');
    }),
  },
});
