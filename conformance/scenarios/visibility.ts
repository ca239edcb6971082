import fc from 'fast-check';
import { equal } from '../model/assert.js';
import { internPath, type Send } from '../probe/request.js';
import {
  BY_KEY,
  JSON_TYPE,
  ON_INTERN,
  OPERATIONS,
  type OperationRow,
  operation,
  request,
  textBytes,
} from '../requests/operations.js';
import { checksOf } from '../run/check.js';
import type { Ctx } from '../run/context.js';
import * as expect from '../run/expect.js';
import { oneOfRows } from '../run/property.js';
import { indistinguishable } from './steps/same.js';

/** Bodies that are refused if they are read. */
const BAD_BODIES: Readonly<Record<string, Partial<Send>>> = {
  'no JSON': { body: textBytes('{'), headers: JSON_TYPE },
  'no object': { json: [] },
  'an unknown field': { json: { surely_not_a_field: 1 } },
  'another media type': { body: textBytes('{}'), headers: { 'content-type': 'text/plain' } },
  'no JSON as another media type': { body: textBytes('{'), headers: { 'content-type': 'text/plain' } },
  'too long': { body: new Uint8Array(1_048_577).fill(0x20), headers: JSON_TYPE },
};

const HIDDEN = 'an answer about an intern that the caller may not see';

/** A credential of the wrong kind may be refused before anything else is checked, for a hidden intern and for any other. */
const refusals = (row: OperationRow, over: Partial<Send>) =>
  row.as === 'oauth_token' && over.as !== undefined ? [403, 404] : 404;

/** Compares the answers to the same request for a hidden intern and for an unknown one. */
async function compare(ctx: Ctx, row: OperationRow, hidden: string, over: Partial<Send>, what: string): Promise<void> {
  const unknown = ctx.interns.unknownId();
  const headers = { ...over.headers, 'x-request-id': 'looked-up' };
  const ask = (id: string) => async () => {
    const answer = await ctx.send(request(ctx, row, id, { ...over, headers }));
    expect.status(answer, refusals(row, over), `${what} of a hidden intern`);
    return answer;
  };
  await indistinguishable(ask(hidden), ask(unknown), what, { hides: HIDDEN, ids: [hidden, unknown] });
}

/** A stranger gets the same answer for the intern as for an unknown id: 404, or an earlier refusal of the credential's kind. */
async function unknownTo(ctx: Ctx, stranger: string, hidden: string, over: Partial<Send> = {}): Promise<void> {
  const compared = ctx.sample(ON_INTERN);
  for (const row of ON_INTERN) {
    const what = `${row.name} for ${stranger}`;
    if (compared.includes(row)) await compare(ctx, row, hidden, over, what);
    else
      expect.status(
        await ctx.send(request(ctx, row, hidden, over)),
        refusals(row, over),
        `${what}, of a hidden intern`,
      );
  }
}

export const VISIBILITY = checksOf('AUTH-3', {
  'auth/hidden-is-unknown': {
    title: 'On every operation a hidden intern is 404, with the same answer as an unknown id.',
    needs: ['running', 'foreign_api_key', 'foreign_workspace', 'oauth_token'],
    async run(ctx) {
      const { interns, api } = ctx;
      const send = { as: 'foreign_api_key' } as const;
      const { id } = await interns.foreign();
      const { status } = expect.intern(await api.get(id, send), 200, 'the read by one who sees it');
      await unknownTo(ctx, 'a caller of another workspace', id);
      const after = expect.intern(await api.get(id, send), 200, 'the read after it was refused to others');
      // A service may suspend a running intern that is idle.
      if (status !== 'running') equal(after.status, status, 'status of the hidden intern');
    },
  },
  'auth/hidden-whatever-the-body': {
    title: 'With any body a hidden intern answers as an unknown id does.',
    needs: ['write', 'foreign_api_key', 'foreign_workspace', 'oauth_token'],
    maxRuns: 40,
    async run(ctx) {
      const hidden = await ctx.interns.foreign();
      const rows = ON_INTERN.filter(({ method }) => method !== 'GET');
      const body = fc.constantFrom(...Object.keys(BAD_BODIES));
      await ctx.property(
        'bodies',
        oneOfRows(rows, ({ name }) => name),
        body,
        async (row, name) => {
          const over = BAD_BODIES[name] ?? {};
          const unknown = ctx.interns.unknownId();
          const headers = { ...over.headers, 'x-request-id': 'looked-up' };
          const what = `${row.name} with a body that is ${name}`;
          const ask = (id: string) => async () => {
            const answer = await ctx.send(request(ctx, row, id, { ...over, headers }));
            expect.refused(answer, what);
            return answer;
          };
          await indistinguishable(ask(hidden.id), ask(unknown), what, { hides: HIDDEN, ids: [hidden.id, unknown] });
        },
      );
    },
  },
  'auth/kind-after-visibility': {
    title: 'With a credential of the wrong kind a hidden intern answers as an unknown one does.',
    needs: ['write', 'foreign_api_key', 'foreign_workspace', 'oauth_interns_only_token'],
    async run(ctx) {
      const hidden = await ctx.interns.foreign();
      const rows = ON_INTERN.filter(({ as }) => as === 'oauth_token');
      for (const row of ctx.sample(rows)) {
        await compare(ctx, row, hidden.id, { as: 'api_key' }, `${row.name} with an API key`);
        await compare(
          ctx,
          row,
          hidden.id,
          { as: 'oauth_interns_only_token' },
          `${row.name} with an interns-only grant`,
        );
      }
    },
  },
  'auth/own-key-sees-its-intern': {
    requirement: 'AUTH-4',
    title: "An intern's own key sees that intern, and no other.",
    needs: ['own_key', 'write'],
    async run({ api, interns }) {
      const own = await interns.own();
      const seen = expect.intern(await api.get(own.id, { as: own.key }), 200, 'the read with the own key');
      equal(seen.id, own.id, 'id of the intern read with its own key');
      const other = await interns.stopped();
      expect.error(await api.get(other.id, { as: own.key }), { status: 404 }, 'the read of another with the own key');
    },
  },
  'auth/own-key-acts-on-its-intern': {
    requirement: 'AUTH-4',
    level: 'C',
    title: "An intern's own key changes, chats with, invokes, suspends and deletes that intern.",
    needs: ['control', 'running', 'own_key'],
    async run({ api, interns, chat }) {
      const { id, key: as } = await interns.own({ running: true });
      expect.status(await api.update(id, { description: 'mine' }, { as }), 200, 'an update with the own key');
      expect.finish(await (await chat(id, 'Hello.', { as })).end(), 'stop', 'chat with the own key');
      expect.status(await api.invoke(id, { input: 'Hello.' }, { as }), 202, 'an invoke with the own key');
      expect.status(await api.suspend(id, { as }), 200, 'a suspend with the own key');
      expect.status(await api.provision(id, { as }), 202, 'a provision with the own key');
      expect.status(await api.remove(id, undefined, { as }), 202, 'a delete with the own key');
    },
  },
  'auth/outsider-any-path': {
    requirement: 'AUTH-5',
    title: 'A caller outside the programme gets 404 whatever the method, the sub-path and the query.',
    needs: ['outsider_api_key'],
    async run({ interns, send, property }) {
      // An unknown id begins the path: a request that is wrongly let in must not meet an intern.
      const id = interns.unknownId();
      const method = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS');
      const segment = fc.constantFrom('a', id, 'daemon', 'sign', 'provision', 'chat', '%2e', '~x');
      const query = fc.constantFrom('', '?limit=0', '?status=nope', '?workspace_id=x');
      const below = fc.tuple(
        method,
        fc.array(segment, { maxLength: 3 }).map((rest) => ['', id, ...rest].join('/')),
      );
      const collection = fc.tuple(fc.constantFrom('GET', 'POST', 'HEAD', 'OPTIONS'), fc.constantFrom('', '/'));
      const request = fc.oneof({ arbitrary: below, weight: 6 }, { arbitrary: collection, weight: 1 });
      for (const path of [internPath(id), internPath(id, '/daemon')])
        expect.status(await send({ method: 'PUT', path, as: 'outsider_api_key' }), 404, `PUT ${path} from outside`);
      await property('requests', request, query, async ([how, path], rest) => {
        const at = `/interns${path}${rest}`;
        const answer = await send({ method: how, path: at, as: 'outsider_api_key' });
        expect.status(answer, 404, `${how} ${at} from outside the programme`);
      });
    },
  },
  'auth/outsider-one-answer': {
    requirement: 'AUTH-5',
    level: 'C',
    title: 'From outside the programme every path, even an unknown one, answers as an unknown intern does.',
    needs: ['control', 'write', 'outsider_api_key'],
    async run(ctx) {
      const { interns, send } = ctx;
      const intern = await interns.stopped();
      const headers = { 'x-request-id': 'looked-up' };
      const unknownOne = await send({ path: internPath(interns.unknownId()), headers });
      expect.error(unknownOne, { status: 404, reason: 'not_found', retryable: false }, 'an unknown intern');
      const unknown = interns.unknownId();
      const paths = [
        '',
        `/${intern.id}`,
        `/${unknown}`,
        `/${unknown}/b/c`,
        `/${intern.id}/nothing`,
        `/${unknown}/daemon/sign`,
      ];
      for (const path of paths) {
        for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
          const ask = () => send({ method, path: `/interns${path}`, as: 'outsider_api_key', headers });
          // How long an answer may be kept can differ by path.
          const ignored = ['cache-control'];
          const what = `${method} ${path} from outside the programme`;
          await indistinguishable(ask, async () => unknownOne, what, { ignored });
        }
      }
    },
  },
  'auth/outsider-any-body': {
    requirement: 'AUTH-5',
    title: 'A caller outside the programme gets 404 whatever the body: malformed, oversized, of another media type.',
    needs: ['outsider_api_key'],
    maxRuns: 40,
    async run(ctx) {
      const rows = OPERATIONS.filter(({ method }) => method !== 'GET');
      const body = fc.constantFrom(...Object.keys(BAD_BODIES));
      const keyed = fc.constantFrom(undefined, '', 'x'.repeat(256));
      for (const [name, body] of [
        ['create', 'no JSON as another media type'],
        ['update', 'no JSON as another media type'],
        ['create', 'too long'],
      ] as const) {
        const over = { ...BAD_BODIES[body], as: 'outsider_api_key' } as const;
        const answer = await ctx.send(request(ctx, operation(name), ctx.interns.unknownId(), over));
        expect.status(answer, 404, `${name} from outside the programme with a body that is ${body}`);
      }
      await ctx.property(
        'bodies',
        oneOfRows(rows, ({ name }) => name),
        body,
        keyed,
        async (row, name, key) => {
          const over = BAD_BODIES[name] ?? {};
          const headers = { ...over.headers, 'idempotency-key': key };
          const id = ctx.interns.unknownId();
          const answer = await ctx.send(request(ctx, row, id, { ...over, headers, as: 'outsider_api_key' }));
          expect.status(answer, 404, `${row.name} from outside the programme with a body that is ${name}`);
        },
      );
    },
  },
  'auth/hidden-timeless': {
    title: 'A gone intern answers as one that never existed.',
    // A service may say that the intern is gone to a caller who has seen it, as long as that is a 404.
    needs: ['control', 'write'],
    async run(ctx) {
      const gone = await ctx.interns.stopped();
      expect.done(await ctx.api.remove(gone.id), 'the delete');
      await ctx.interns.untilGone(gone.id);
      for (const row of BY_KEY.filter(({ on }) => on === 'intern'))
        await compare(ctx, row, gone.id, { as: 'api_key' }, `${row.name} of a gone intern`);
    },
  },
});
