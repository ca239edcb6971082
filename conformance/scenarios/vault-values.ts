import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { hosts, NO_HOSTS } from '../arbitraries/host.js';
import { equal, notEqual } from '../framework/assert.js';
import { checksOf } from '../framework/check.js';
import type { Ctx } from '../framework/context.js';
import * as expect from '../framework/expect.js';
import {
  HOSTS,
  listedIn,
  ofIntern,
  put,
  secretAt,
  secretName,
  secretOf,
  secretsIn,
  store,
  VALUE,
  WORKSPACE,
} from '../helpers/vault.js';
import { codeWord } from '../helpers/words.js';

const UNIT = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789');

/** Characters of the longest name of a secret. */
const LONGEST_SECRET = 255;

/** Valid names that begin with the valid name `base`: words joined by single underscores. One of four has the full length. */
const secretNameFrom = (base: string): fc.Arbitrary<string> =>
  fc.oneof(
    {
      arbitrary: fc
        .array(fc.string({ unit: UNIT, minLength: 1, maxLength: 8 }), { maxLength: 4 })
        .map((words) => [base, ...words].join('_')),
      weight: 3,
    },
    { arbitrary: UNIT.map((char) => base.padEnd(LONGEST_SECRET, char)), weight: 1 },
  );

const INVALID = { status: 400, reason: 'invalid_body', retryable: false } as const;
const LONGEST_VALUE = 65_536;

/** The vault of an intern of the run, where any name may be given. */
const vaultOf = async ({ interns }: Pick<Ctx, 'interns'>) => ofIntern((await interns.stopped()).id);

/** Each body is refused and stores nothing. Where requests cost, only `few` of them are sent. */
async function refused(
  ctx: Ctx,
  bodies: readonly (readonly [string, unknown])[],
  expected: expect.ExpectedError,
  few?: number,
) {
  const scope = await vaultOf(ctx);
  const name = secretName(ctx);
  await ctx.each(
    'bodies',
    bodies,
    async ([what, json]) => {
      expect.error(await put(ctx, scope, name, json), expected, `a store with ${what}`);
    },
    few,
  );
  equal((await secretsIn(ctx, scope)).has(name), false, 'the secret after refused stores');
}

export const VAULT_VALUES = checksOf('VAULT-3', {
  'vault/replaced': {
    title: 'A second store of a name replaces value and hosts: a name has one secret.',
    needs: ['write'],
    async run(ctx) {
      const name = secretName(ctx);
      for (const scope of ctx.sample([WORKSPACE, await vaultOf(ctx)])) {
        const one = await store(ctx, scope, name, codeWord(ctx), ['a.example.com', 'b.example.com']);
        const other = await store(ctx, scope, name, codeWord(ctx), ['c.example.com']);
        equal(other.hosts, ['c.example.com'], 'hosts after the second store');
        notEqual(other.fingerprint, one.fingerprint, 'fingerprint after the second store');
        const inList = await listedIn(ctx, scope, name, ({ hosts }) => isDeepStrictEqual(hosts, other.hosts));
        equal(inList, other, 'the secret in the list');
      }
    },
  },
  'vault/store-status': {
    level: 'C',
    title: 'Creating and replacing are both 200, and created_at of the first stays.',
    needs: ['control', 'write', 'clock'],
    async run(ctx) {
      const name = secretName(ctx);
      for (const scope of [WORKSPACE, await vaultOf(ctx)]) {
        const json = { value: codeWord(ctx), hosts: HOSTS };
        const first = await put(ctx, scope, name, json);
        await ctx.clock.advance(1_000);
        const second = await put(ctx, scope, name, { ...json, value: codeWord(ctx) });
        for (const answer of [first, second]) expect.status(answer, 200, 'a store');
        equal(secretOf(second, 'a store').created_at, secretOf(first, 'a store').created_at, 'created_at');
      }
    },
  },
  'vault/hosts-order': {
    level: 'C',
    title: 'Hosts are kept in the order in which each first came.',
    needs: ['control', 'write'],
    async run(ctx) {
      const scope = await vaultOf(ctx);
      await ctx.property('hosts', hosts(), async ({ sent, kept }) => {
        equal((await store(ctx, scope, 'ordered', VALUE, sent)).hosts, kept, 'hosts of the secret');
      });
    },
  },
  'vault/no-hosts': {
    level: 'C',
    title: 'A host that is not an exact DNS name in ASCII is 400 invalid_body.',
    needs: ['control', 'write'],
    run: (ctx) =>
      refused(
        ctx,
        NO_HOSTS.map((host) => [`the host ${JSON.stringify(host)}`, { value: 'v', hosts: [host] }] as const),
        INVALID,
      ),
  },
  'vault/hosts-counted-as-sent': {
    level: 'C',
    title: 'Hosts are counted as they are sent, before any are collapsed.',
    needs: ['control', 'write'],
    run: (ctx) =>
      refused(ctx, [['101 hosts, all alike', { value: 'v', hosts: Array(101).fill('api.example.com') }]], INVALID),
  },
  'vault/value-units': {
    level: 'C',
    title: 'A value is counted in UTF-16 units, and half of a surrogate pair is 400.',
    needs: ['control', 'write'],
    async run(ctx) {
      const scope = await vaultOf(ctx);
      await store(ctx, scope, secretName(ctx), '😀'.repeat(LONGEST_VALUE / 2));
      const values = [`${'😀'.repeat(LONGEST_VALUE / 2)}v`, 'a\ud800b', '\udc00', 'a\ud83d'];
      await refused(
        ctx,
        values.map((value) => [`the value ${JSON.stringify(value.slice(-3))}`, { value, hosts: HOSTS }] as const),
        INVALID,
      );
    },
  },
  'vault/body-strict': {
    level: 'C',
    title: 'Unknown fields and invalid JSON are 400, one byte too many is 413, and the content type does not matter.',
    needs: ['control', 'write'],
    async run(ctx) {
      const scope = await vaultOf(ctx);
      const json = { value: 'v', hosts: HOSTS };
      await refused(ctx, [['an unknown field', { ...json, name: 'other' }]], INVALID);
      const request = { method: 'PUT', path: secretAt(scope, 'typed') };
      const text = JSON.stringify(json);
      expect.error(await ctx.send({ ...request, body: '{"value":' }), INVALID, 'a store of broken JSON');
      const large = text.padEnd(1_048_577, ' ');
      expect.status(await ctx.send({ ...request, body: large.slice(0, -1) }), 200, 'a store of the most bytes');
      const answer = await ctx.send({ ...request, body: large });
      expect.error(answer, { status: 413, reason: 'payload_too_large', retryable: false }, 'a store of one byte more');
      for (const type of [undefined, 'text/plain', 'application/json']) {
        const typed = { ...request, body: text, headers: { 'content-type': type } };
        expect.status(await ctx.send(typed), 200, `a store with the content type ${type}`);
      }
    },
  },
  'vault/names': {
    title: 'Lower-case letters, digits and single underscores make a name, up to 255 characters.',
    needs: ['write'],
    maxRuns: 30,
    async run(ctx) {
      const scope = await vaultOf(ctx);
      const base = secretName(ctx);
      const single = async (name: string) => equal((await store(ctx, scope, name, 'v')).name, name, 'name of a secret');
      for (const name of ctx.sample(['a', base.padEnd(LONGEST_SECRET, 'z')], 2)) await single(name);
      await ctx.property('names', secretNameFrom(base), single);
    },
  },
});
