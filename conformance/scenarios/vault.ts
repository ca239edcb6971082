import { equal } from '../model/assert.js';
import type { As, Send } from '../probe/request.js';
import {
  copy,
  list,
  namesIn,
  ofIntern,
  put,
  remove,
  secretAt,
  secretName,
  secretsIn,
  store,
  VALUE,
  VAULT_OPERATIONS,
  type VaultOperation,
  WORKSPACE,
} from '../requests/vault.js';
import { checksOf } from '../run/check.js';
import type { Ctx } from '../run/context.js';
import * as expect from '../run/expect.js';
import { onRunning, onStopped } from './steps/interns.js';

const NOT_FOUND = { status: 404, reason: 'not_found', retryable: false } as const;

/** Sends an operation with some of it replaced. */
const sent = ({ send }: Pick<Ctx, 'send'>, row: VaultOperation, id: string, name: string, over: Partial<Send>) =>
  send({ ...row.request(id, name), ...over });

/** Does the operations on a secret that is there, in an order in which each is accepted. */
async function allAccepted(ctx: Ctx, id: string, as: As, of: readonly VaultOperation['of'][]): Promise<void> {
  const name = secretName(ctx);
  const json = { value: VALUE, hosts: ['api.example.com'] };
  const scopes = of.map((one) => (one === 'workspace' ? WORKSPACE : ofIntern(id)));
  const who = typeof as === 'string' ? as : 'the own key';
  for (const scope of scopes) expect.status(await put(ctx, scope, name, json, { as }), 200, `a store as ${who}`);
  if (of.includes('workspace')) expect.status(await copy(ctx, id, [name], { as }), 200, `a copy as ${who}`);
  for (const scope of scopes) {
    expect.status(await list(ctx, scope, undefined, { as }), 200, `a list as ${who}`);
    expect.status(await remove(ctx, scope, name, { as }), 204, `a delete as ${who}`);
  }
}

const KEYS = ['control', 'write', 'peer_api_key', 'oauth_token', 'oauth_interns_only_token', 'management_key'] as const;

export const VAULT_CHECKS = checksOf('VAULT-1', {
  'vault/scopes-apart': {
    title: 'What is stored for one intern is in no other vault, and what is in the workspace is in no intern.',
    needs: ['write'],
    async run(ctx) {
      const one = ofIntern((await ctx.interns.stopped()).id);
      const other = ofIntern((await ctx.interns.stopped()).id);
      const name = secretName(ctx);
      const scopes = [one, other, WORKSPACE];
      // In every run the workspace's: it is what one falls back on who finds nothing at an intern.
      for (const scope of [WORKSPACE, ...ctx.sample([one, other], 0)]) {
        await store(ctx, scope, name, VALUE);
        for (const elsewhere of ctx.sample(scopes.filter((it) => it !== scope))) {
          equal(await namesIn(ctx, elsewhere, [name], []), [], 'secrets of a vault that it was not stored in');
          expect.status(await remove(ctx, elsewhere, name), 404, 'a delete in a vault that it was not stored in');
        }
        equal(await namesIn(ctx, scope, [name]), [name], 'secrets after deletes in other vaults');
        expect.done(await remove(ctx, scope, name), 'the delete where it was stored');
      }
    },
  },
  'vault/own-key': {
    level: 'C',
    title: "An intern's own key opens its own intern's vault alone, and copies nothing into it.",
    needs: ['control', 'write', 'own_key'],
    async run(ctx) {
      const own = await ctx.interns.own();
      const other = await ctx.interns.stopped();
      await allAccepted(ctx, own.id, own.key, ['intern']);
      const name = secretName(ctx);
      await store(ctx, WORKSPACE, name, VALUE);
      for (const row of VAULT_OPERATIONS) {
        const itself = row.of === 'intern' && row.name !== 'the copy';
        const answer = await sent(ctx, row, itself ? other.id : own.id, name, { as: own.key });
        expect.error(answer, NOT_FOUND, `${row.name} with an own key`);
      }
    },
  },
  'vault/kinds-of-credentials': {
    level: 'C',
    title: 'Peers and OAuth tokens of either grant act as members do; a management key is 401.',
    ...onStopped(KEYS, async (ctx, { id }) => {
      for (const as of ['api_key', 'peer_api_key', 'oauth_token', 'oauth_interns_only_token'] as const)
        await allAccepted(ctx, id, as, ['workspace', 'intern']);
      for (const row of VAULT_OPERATIONS) {
        const answer = await sent(ctx, row, id, secretName(ctx), { as: 'management_key' });
        expect.error(answer, { status: 401, metadata: 'absent' }, `${row.name} with a management key`);
      }
    }),
  },
  'vault/any-status': {
    level: 'C',
    title: 'The status of an intern does not matter for its secrets, but one that is being torn down is 404.',
    ...onRunning(['control', 'running', 'clock'], async (ctx, intern) => {
      const scope = ofIntern(intern.id);
      const name = secretName(ctx);
      await store(ctx, scope, name, VALUE);
      expect.done(await ctx.api.suspend(intern.id), 'the suspend');
      await ctx.interns.untilSuspended(intern.id);
      equal([...(await secretsIn(ctx, scope)).keys()], [name], 'secrets of a suspended intern');
      expect.status(await ctx.api.remove(intern.id), 202, 'the delete of the intern');
      for (const row of VAULT_OPERATIONS.filter(({ of }) => of === 'intern'))
        expect.error(await sent(ctx, row, intern.id, name, {}), NOT_FOUND, `${row.name} of one that is torn down`);
    }),
  },
  'vault/order': {
    level: 'C',
    title: 'Who may not see is judged before what was sent, the size before the body, the body before what is there.',
    ...onStopped(['control', 'write', 'outsider_api_key'], async (ctx, { id }) => {
      const large = { body: new Uint8Array(1_048_577).fill(0x20) };
      const bad = { json: { value: 7, names: 7 } };
      for (const row of VAULT_OPERATIONS.filter(({ name }) => /store|copy/.test(name))) {
        const looked = async (over: Partial<Send>, expected: expect.ExpectedError, of = id) => {
          const { json: _, ...request } = row.request(of, secretName(ctx));
          expect.error(await ctx.send({ ...request, ...over }), expected, `${row.name} with several faults`);
        };
        await looked({ ...large, as: 'outsider_api_key' }, { status: 404 });
        if (row.of === 'intern') await looked(large, NOT_FOUND, ctx.interns.unknownId());
        await looked(large, { status: 413, reason: 'payload_too_large', retryable: false });
        await ctx.control.settings({ vault_writes: 'off' });
        await looked(bad, { status: 400, reason: 'invalid_body', retryable: false });
        await ctx.control.settings({ vault_writes: 'on' });
      }
      await ctx.control.settings({ vault_writes: 'off' });
      for (const scope of [WORKSPACE, ofIntern(id)]) {
        const unknown = await ctx.send({ method: 'DELETE', path: secretAt(scope, secretName(ctx)) });
        expect.error(unknown, NOT_FOUND, 'the delete of an unknown secret while writes are off');
      }
      expect.error(await copy(ctx, id, [secretName(ctx)]), NOT_FOUND, 'a copy of nothing while writes are off');
    }),
  },
});
