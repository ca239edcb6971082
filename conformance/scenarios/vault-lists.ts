import fc from 'fast-check';
import { equal, ok } from '../model/assert.js';
import {
  copy,
  HOSTS,
  list,
  namesIn,
  ofIntern,
  pageOf,
  put,
  remove,
  secretName,
  secretsIn,
  store,
  VALUE,
  WORKSPACE,
} from '../requests/vault.js';
import { checksOf } from '../run/check.js';
import type { Ctx } from '../run/context.js';
import * as expect from '../run/expect.js';
import { onStopped } from './steps/interns.js';

const NOT_FOUND = { status: 404, message: 'Secret not found', reason: 'not_found', retryable: false } as const;
const FULL = 1_000;

/** Stores so many secrets in the vault of a new intern, and says where and how they are called. */
async function filled(ctx: Ctx, count: number): Promise<{ id: string; scope: string; names: string[] }> {
  const { id } = await ctx.interns.stopped({});
  const scope = ofIntern(id);
  const base = secretName(ctx);
  const names = Array.from({ length: count }, (_, at) => `${base}_${at}`);
  // Not in the order of their names.
  for (let at = names.length - 1; at >= 0; at--) await store(ctx, scope, names[at] ?? '', `${VALUE}${at}`);
  return { id, scope, names: names.sort() };
}

export const VAULT_LISTS = checksOf('VAULT-5', {
  'vault/list-by-bytes': {
    level: 'C',
    title: 'Names are ordered by their bytes: digits, underscore, letters.',
    needs: ['control', 'write'],
    async run(ctx) {
      const scope = ofIntern((await ctx.interns.stopped({})).id);
      const names = ['a', 'a1', 'a10', 'a2', 'a_1', 'a_b', 'ab', 'b'];
      for (const name of [...names].reverse()) await store(ctx, scope, name, 'v');
      equal([...(await secretsIn(ctx, scope)).keys()], names, 'names of the list');
    },
  },
  'vault/pages-any-limit': {
    title: 'Paging with any limit gives every secret once, ordered by name, and has_more says where the list ends.',
    needs: ['write'],
    maxRuns: 20,
    async run(ctx) {
      const { scope, names } = await filled(ctx, ctx.upTo(7, 3));
      await namesIn(ctx, scope, names);
      await ctx.property('limits', fc.integer({ min: 2, max: names.length - 1 }), async (limit) => {
        const found: unknown[] = [];
        for (let offset = 0; offset < names.length; offset += limit) {
          const what = `the page of ${limit} from ${offset}`;
          const { data, has_more } = pageOf(await list(ctx, scope, { limit, offset }), what);
          equal(data.length, Math.min(limit, names.length - offset), `entries of ${what}`);
          equal(has_more, offset + limit < names.length, `has_more of ${what}`);
          found.push(...data.map(({ name }) => name));
        }
        equal(found, names, `the list in pages of ${limit}`);
      });
    },
  },
  'vault/list-default': {
    title: 'Without a limit a page has 100 secrets.',
    needs: ['control', 'write'],
    async run(ctx) {
      const { scope, names } = await filled(ctx, 101);
      const { data, has_more } = pageOf(await list(ctx, scope), 'the list');
      equal([data.length, has_more], [100, true], 'entries and has_more of the first page');
      const rest = pageOf(await list(ctx, scope, { offset: 100 }), 'the rest');
      equal([rest.data.map(({ name }) => name), rest.has_more], [names.slice(100), false], 'the second page');
    },
  },
  'vault/delete': {
    requirement: 'VAULT-6',
    title: 'A delete is 204 without a body, and takes that secret alone; the next is 404.',
    needs: ['write'],
    async run(ctx) {
      const names = [secretName(ctx), secretName(ctx)];
      const [gone = '', stays = ''] = names;
      for (const scope of ctx.sample([WORKSPACE, ofIntern((await ctx.interns.stopped()).id)])) {
        for (const name of names) await store(ctx, scope, name, VALUE);
        const answer = await remove(ctx, scope, gone);
        expect.status(answer, 204, 'the delete');
        ok(answer.text === '', 'body of a delete', 'none', answer.text);
        equal(await namesIn(ctx, scope, names, [stays]), [stays], 'secrets after the delete');
        expect.error(await remove(ctx, scope, gone), { status: 404 }, 'the second delete');
      }
    },
  },
  'vault/delete-refusals': {
    requirement: 'VAULT-6',
    level: 'C',
    title: 'The delete of an unknown secret is `Secret not found`, that of a malformed name 400.',
    ...onStopped(['control', 'write'], async (ctx, { id }) => {
      for (const scope of [WORKSPACE, ofIntern(id)]) {
        expect.error(await remove(ctx, scope, secretName(ctx)), NOT_FOUND, 'the delete of an unknown secret');
        const malformed = { status: 400, reason: 'invalid_body', retryable: false } as const;
        expect.error(await remove(ctx, scope, `${secretName(ctx)}__a`), malformed, 'the delete of a malformed name');
      }
    }),
  },
  'vault/holds-1000': {
    requirement: 'VAULT-3',
    level: 'C',
    title:
      'A vault holds 1000 secrets. A store or copy of more is 409 vault_full, and stores none; a replacement is not.',
    needs: ['control', 'write'],
    minRuns: 2,
    async run(ctx) {
      const { id, scope, names } = await filled(ctx, FULL - 1);
      const two = [secretName(ctx), secretName(ctx)];
      for (const name of two) await store(ctx, WORKSPACE, name, VALUE);
      const json = { value: 'v', hosts: HOSTS };
      const full = { status: 409, reason: 'vault_full', retryable: false } as const;
      expect.error(await copy(ctx, id, two), full, 'a copy of two where there is room for one');
      const there = await secretsIn(ctx, scope);
      equal([there.size, two.some((name) => there.has(name))], [FULL - 1, false], 'the vault after it');
      expect.status(await copy(ctx, id, two.slice(1)), 200, 'a copy of one');
      expect.error(await put(ctx, scope, 'one_more', json), full, 'the store of one more');
      expect.status(await put(ctx, scope, names[0] ?? '', json), 200, 'a replacement in a full vault');
      expect.status(await remove(ctx, scope, names[1] ?? ''), 204, 'a delete in a full vault');
      expect.status(await put(ctx, scope, 'one_more', json), 200, 'the store once there is room');
      equal((await secretsIn(ctx, scope)).size, FULL, 'secrets of a full vault');
    },
  },
});
