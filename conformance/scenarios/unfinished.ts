import fc from 'fast-check';
import { equal, match, notEqual, ok, UUID } from '../framework/assert.js';
import { checksOf } from '../framework/check.js';
import type { Ctx } from '../framework/context.js';
import * as expect from '../framework/expect.js';

const UPSTREAM = { status: 502, reason: 'upstream_unavailable', retryable: true } as const;
const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });

async function called({ api }: Pick<Ctx, 'api'>, name: string) {
  return expect.page(await api.list(), 'the list').data.filter((intern) => intern.name === name);
}

/** A create that breaks off at `at`. Without `key` the key is derived. */
async function broken(ctx: Ctx, at: 'vault' | 'provisioner', key: string | undefined) {
  const body = ctx.interns.body(at === 'provisioner' ? { provision: true } : {});
  const options = key === undefined ? {} : keyed(`${key}-${body.name}`);
  await ctx.control.fault({ operation: 'create', at });
  const failed = await ctx.api.create(body, options);
  expect.error(failed, UPSTREAM, `a create that fails at the ${at}`);
  return { body, options };
}

const AT = fc.constantFrom('vault' as const, 'provisioner' as const);

export const UNFINISHED = checksOf('CREATE-4', {
  'create/unfinished-is-resumed': {
    title: 'A create that broke off is resumed by its retry: one intern, with its vault, and provisioned if asked.',
    needs: ['control', 'running'],
    maxRuns: 10,
    async run(ctx) {
      const { api, interns, property } = ctx;
      await property('breaks', AT, fc.constantFrom('key', undefined), async (at, key) => {
        const { body, options } = await broken(ctx, at, key);
        const before = await called(ctx, body.name);
        ok(before.length <= 1, 'interns of the name before the retry', 'at most one', before.length);
        const made = expect.intern(await api.create(body, options), expect.CREATED, 'the retry');
        if (before[0] !== undefined) equal(made.id, before[0].id, 'id of the resumed intern');
        match(made.vault_id, UUID, 'vault_id of the resumed intern');
        equal((await called(ctx, body.name)).length, 1, 'interns of the name after the retry');
        if (at === 'provisioner') await interns.until(made.id, ['running']);
        const again = expect.intern(await api.create(body, options), expect.CREATED, 'one more retry');
        equal(again.id, made.id, 'id of one more retry');
        equal((await called(ctx, body.name)).length, 1, 'interns of the name in the end');
      });
    },
  },
  'create/script-vault-fails-once': {
    requirement: 'EMU-9',
    title:
      'vault-fails-once: the create answers 502, its retry 201 with the same intern, the next 200 with the same record.',
    needs: ['control', 'write'],
    async run(ctx) {
      const { api, interns } = ctx;
      const body = interns.body({ instructions: 'script: vault-fails-once' });
      expect.error(await api.create(body), UPSTREAM, 'the create');
      const [half] = await called(ctx, body.name);
      equal(half?.vault_id, null, 'vault_id of the unfinished intern');
      const made = expect.intern(await api.create(body), 201, 'the retry');
      equal(made.id, half?.id, 'id of the intern');
      match(made.vault_id, UUID, 'vault_id');
      equal(expect.intern(await api.create(body), 200, 'the retry after it'), made, 'the replayed answer');
      equal((await called(ctx, body.name)).length, 1, 'interns of the name');
      const other = interns.body({ instructions: 'script: vault-fails-once' });
      expect.error(await api.create(other), UPSTREAM, 'the create of another intern');
      const second = expect.intern(await api.create(other), 201, 'its retry');
      notEqual(second.vault_id, made.vault_id, 'vault_id of the other intern');
    },
  },
});
