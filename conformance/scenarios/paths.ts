import fc from 'fast-check';
import { equal, notEqual, ok } from '../model/assert.js';
import type { Answer } from '../probe/client.js';
import { internPath, type Send } from '../probe/request.js';
import { BY_KEY, PATHS, request, textBytes } from '../requests/operations.js';
import { checksOf } from '../run/check.js';
import * as expect from '../run/expect.js';
import { onRunning, onStopped } from './steps/interns.js';

const UNIT = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-');

/** An x-request-id that is not echoed: too long, empty, or with one character that is not allowed. */
const badRequestId = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom('', 'a'.repeat(129), 'a'.repeat(300)),
    fc
      .tuple(fc.string({ unit: UNIT, maxLength: 40 }), fc.constantFrom(...'/ ,;"\'@+=~#%&*()[]{}<>|\\^`!?$'))
      .map(([text, other]) => `a${text}${other}x`),
  );

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

const allowed = (answer: Answer, what: string): string[] => {
  const header = answer.headers.get('allow');
  ok(header !== null, `Allow of ${what}`, 'a list of methods', header);
  return header.split(',').map((method) => method.trim());
};

const SEGMENT = fc.constantFrom('x', 'daemons', 'chat', 'sign', 'completions', '0', 'Provision', 'daemon%2Fsign');

export const PATH_CHECKS = checksOf('BASE-5', {
  'base/unknown-path': {
    title: 'An unknown path is 404 not_found.',
    ...onStopped(['control', 'write'], async ({ send, property }, intern) => {
      await property('paths', SEGMENT, fc.constantFrom('GET', 'POST', 'DELETE'), async (segment, method) => {
        const answer = await send({ method, path: internPath(intern.id, `/${segment}/y`) });
        expect.error(answer, { status: 404, reason: 'not_found', retryable: false }, `${method} …/${segment}/y`);
      });
      const answer = await send({ path: internPath(intern.id, '/provision/x') });
      expect.error(answer, { status: 404, reason: 'not_found', retryable: false }, 'a path below provision');
    }),
  },
  'base/unknown-scim-path': {
    title: 'An unknown path below /scim is 404 `Resource not found` without metadata.',
    needs: ['control', 'management_key'],
    async run({ send, property }) {
      const path = fc.constantFrom('', '/mappings', '/group-mappings/a/b', '/Users');
      await property('paths', path, async (below) => {
        const answer = await send({ path: `/scim${below}`, as: 'management_key' });
        expect.error(answer, { status: 404, message: 'Resource not found', metadata: 'absent' }, `/scim${below}`);
      });
    },
  },
  'base/method-not-allowed': {
    title: 'A known path with another method is 405 with the methods of the path in Allow.',
    ...onStopped(['control', 'write', 'management_key', 'scim_mapping'], async ({ send, target }, intern) => {
      const scim = {
        path: () => `/scim/group-mappings/${target.scimMappingId}`,
        methods: ['GET', 'PATCH', 'DELETE'],
        scim: true,
      };
      for (const row of [...PATHS.map((known) => ({ ...known, scim: false })), scim]) {
        const path = row.path(intern.id);
        const served = [...row.methods, 'OPTIONS', ...(row.methods.includes('GET') ? ['HEAD'] : [])];
        for (const method of METHODS.filter((other) => !served.includes(other))) {
          const what = `${method} ${path}`;
          const answer = await send({ method, path, as: row.scim ? 'management_key' : 'api_key' });
          expect.status(answer, 405, what);
          if (method !== 'HEAD' && !row.scim) {
            expect.error(answer, { status: 405, reason: 'method_not_allowed', retryable: false }, what);
          }
          const methods = allowed(answer, what);
          for (const one of row.methods) ok(methods.includes(one), `Allow of ${what}`, one, methods);
          ok(!methods.includes(method), `Allow of ${what}`, `no ${method}`, methods);
        }
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
  'base/options': {
    title: 'OPTIONS of a known path is 204 with its methods in Allow.',
    ...onStopped(['control', 'write'], async ({ send }, intern) => {
      for (const row of PATHS) {
        const path = row.path(intern.id);
        const answer = await send({ method: 'OPTIONS', path });
        expect.status(answer, 204, `OPTIONS ${path}`);
        const methods = allowed(answer, `OPTIONS ${path}`);
        for (const method of row.methods) ok(methods.includes(method), `Allow of OPTIONS ${path}`, method, methods);
        for (const method of METHODS.slice(2, 6).filter((other) => !row.methods.includes(other))) {
          ok(!methods.includes(method), `Allow of OPTIONS ${path}`, `no ${method}`, methods);
        }
      }
    }),
  },
  'base/method-in-order': {
    requirement: 'BODY-5',
    title: 'A wrong method is refused after the regional host and the key, and before the intern is looked for.',
    ...onStopped(['control', 'write', 'regional_host'], async ({ interns, send, target }, { id }) => {
      const ask = async (status: number, what: string, more: Partial<Send>) =>
        expect.status(await send({ method: 'PUT', path: internPath(id, '/provision'), ...more }), status, what);
      await ask(403, 'a wrong method on a regional host', { host: target.regionalHost ?? '' });
      await ask(401, 'a wrong method without a key', { as: null });
      await ask(405, 'a wrong method to an unknown intern', { path: internPath(interns.unknownId(), '/provision') });
      await ask(401, 'no JSON without a key', { method: 'POST', path: '/interns', as: null, body: '{' });
    }),
  },
  'base/request-id-of-its-own': {
    requirement: 'BASE-6',
    title: 'Without a valid x-request-id the answer carries a new one.',
    needs: ['control'],
    async run({ api, property }) {
      const first = (await api.list({ limit: 1 })).headers.get('x-request-id');
      const second = (await api.list({ limit: 1 })).headers.get('x-request-id');
      ok(first !== null && first !== '', 'x-request-id', 'an id', first);
      notEqual(second, first, 'x-request-id of another request');
      await property('ids', badRequestId(), async (id) => {
        const answer = await api.list({ limit: 1 }, { headers: { 'x-request-id': id } });
        const own = answer.headers.get('x-request-id');
        ok(own !== null && /^[A-Za-z0-9._:-]{1,128}$/.test(own) && own !== id, 'x-request-id', 'one of its own', own);
      });
    },
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
      const reply = await chat(id, 'Hello.', { headers: { 'x-request-id': 'seen-chat' } });
      await reply.end();
      equal(reply.headers.get('x-request-id'), 'seen-chat', 'x-request-id of chat');
    }),
  },
});
