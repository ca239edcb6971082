import { isDeepStrictEqual } from 'node:util';
import { equal, notEqual } from '../model/assert.js';
import { HOSTS, listedIn, ofIntern, put, secretName, secretOf, store, WORKSPACE } from '../requests/vault.js';
import { checksOf } from '../run/check.js';
import type { Ctx } from '../run/context.js';
import * as expect from '../run/expect.js';
import { codeWord } from './steps/words.js';

/** The vault of an intern of the run, where any name may be given. */
const vaultOf = async ({ interns }: Pick<Ctx, 'interns'>) => ofIntern((await interns.stopped()).id);

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
});
