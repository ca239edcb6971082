import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { equal, isArray, isObject } from '../model/assert.js';
import type { Answer } from '../probe/client.js';
import {
  ANOTHER_VALUE,
  copy,
  HOSTS,
  list,
  listedIn,
  ofIntern,
  published,
  put,
  remove,
  type Secret,
  secretName,
  secretsIn,
  store,
  VAULT_OPERATIONS,
  WORKSPACE,
} from '../requests/vault.js';
import { checksOf } from '../run/check.js';
import type { Ctx } from '../run/context.js';
import * as expect from '../run/expect.js';
import { onStopped } from './steps/interns.js';
import { codeWord } from './steps/words.js';

const OFF = { status: 503, reason: 'vault_writes_disabled', retryable: true } as const;

/** The secrets in the answer to a copy. */
function copied(answer: Answer): Secret[] {
  expect.done(answer, 'a copy');
  isObject(answer.json, 'body of a copy');
  isArray(answer.json.data, 'data of a copy');
  return answer.json.data.map((one) => {
    isObject(one, 'a secret of a copy');
    return published(one);
  });
}

const namesOf = (secrets: readonly Secret[]) => secrets.map(({ name }) => String(name));

/** Some secrets of the workspace, by name. */
async function inWorkspace(ctx: Ctx, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, () => secretName(ctx));
  for (const [at, name] of names.entries())
    await store(ctx, WORKSPACE, name, `${codeWord(ctx)} ${at}`, [`h${at}.example.com`]);
  return names;
}

/** A refused copy leaves the vault of the intern unchanged. */
async function nothingCopied(
  ctx: Ctx,
  names: readonly string[],
  missing: readonly unknown[],
  expected: expect.ExpectedError,
) {
  const { id } = await ctx.interns.stopped();
  const [first = ''] = names;
  await store(ctx, ofIntern(id), first, ANOTHER_VALUE, ['own.example.com']);
  const before = await ctx.eventually(
    () => secretsIn(ctx, ofIntern(id)),
    (secrets) => isDeepStrictEqual(secrets.get(first)?.hosts, ['own.example.com']),
  );
  const all = [...names, ...missing];
  // The missing secret comes last, first and in between.
  const turned = fc.nat(all.length - 1).map((turn) => [...all.slice(turn), ...all.slice(0, turn)]);
  const refused = async (order: readonly unknown[]) => {
    expect.error(await copy(ctx, id, order), expected, 'a copy of what cannot be copied');
    const after = await secretsIn(ctx, ofIntern(id));
    equal(Object.fromEntries(after), Object.fromEntries(before), 'the vault after a refused copy');
  };
  await refused(all);
  await ctx.property('orders', turned, refused);
}

export const VAULT_COPY = checksOf('VAULT-7', {
  'vault/copy': {
    title: 'A copy has the value and the hosts of the secret, and replaces one of the same name.',
    ...onStopped([], async (ctx, { id }) => {
      const scope = ofIntern(id);
      const [name, other] = [secretName(ctx), secretName(ctx)];
      const value = codeWord(ctx);
      await store(ctx, WORKSPACE, name, value, ['a.example.com', 'b.example.com']);
      await store(ctx, WORKSPACE, other, codeWord(ctx));
      await store(ctx, scope, name, ANOTHER_VALUE, ['own.example.com']);
      const data = copied(await copy(ctx, id, [name, other]));
      equal(namesOf(data).sort(), [name, other].sort(), 'names of the copies');
      const inList = await listedIn(ctx, scope, name, ({ hosts }) =>
        isDeepStrictEqual(hosts, ['a.example.com', 'b.example.com']),
      );
      equal(inList?.hosts, ['a.example.com', 'b.example.com'], 'hosts of the copy');
      equal(
        data.find((one) => one.name === name),
        inList,
        'the copy as it is answered, and in the list',
      );
      // The same value has the same fingerprint in one vault.
      const { fingerprint } = await store(ctx, scope, secretName(ctx), value);
      equal(inList?.fingerprint, fingerprint, 'fingerprint of the copy');
    }),
  },
  'vault/copy-all-or-nothing': {
    title: 'If one of the secrets does not exist, the copy is 404 and copies nothing, whatever the order of names.',
    needs: ['write'],
    maxRuns: 6,
    async run(ctx) {
      await nothingCopied(ctx, await inWorkspace(ctx, ctx.upTo(2, 1)), [secretName(ctx)], { status: 404 });
    },
  },
  'vault/copy-unbound': {
    title: 'If one of the secrets has no hosts, the copy is 409 and copies nothing.',
    needs: ['control', 'disposable', 'write'],
    maxRuns: 6,
    async run(ctx) {
      await ctx.reset();
      const expected = { status: 409, reason: 'secret_unbound', retryable: false } as const;
      const names = await inWorkspace(ctx, 2);
      await nothingCopied(ctx, names, ['legacy_token'], expected);
      const { id } = await ctx.interns.stopped();
      const both = await copy(ctx, id, ['legacy_token', secretName(ctx)]);
      expect.error(both, { status: 404, reason: 'not_found' }, 'a copy of one without hosts and one that is not there');
    },
  },
  'vault/copy-names': {
    title: 'A copy names 1 to 100 secrets, each once: none, 101, or one twice is 400.',
    ...onStopped([], async (ctx, { id }) => {
      const [name = ''] = await inWorkspace(ctx, 1);
      const many = Array.from({ length: 101 }, (_, at) => `${name}_${at}`);
      for (const names of ctx.sample([[], many, [name, name]], 3)) {
        const answer = await copy(ctx, id, names);
        expect.error(answer, { status: 400 }, `a copy of ${names.length} names`);
      }
      copied(await copy(ctx, id, [name]));
    }),
  },
  'vault/copy-refusals': {
    level: 'C',
    title: 'Copies are answered in the order asked with 200; malformed names and unknown fields are 400.',
    ...onStopped(['control', 'write'], async (ctx, { id }) => {
      const names = (await inWorkspace(ctx, 3)).reverse();
      const answer = await copy(ctx, id, names);
      expect.status(answer, 200, 'a copy');
      equal(namesOf(copied(answer)), names, 'names of the copies');
      const invalid = { status: 400, reason: 'invalid_body', retryable: false } as const;
      for (const name of ['Bad', 'a__b', '', 7, null])
        expect.error(await copy(ctx, id, [name]), invalid, `a copy of the name ${JSON.stringify(name)}`);
      for (const json of [{}, { names: 'a' }, { names, to: id }, names]) {
        const request = { method: 'POST', path: `${ofIntern(id)}/copy`, json };
        expect.error(await ctx.send(request), invalid, `a copy with ${JSON.stringify(json)}`);
      }
    }),
  },
  'vault/copies-are-apart': {
    level: 'C',
    title: 'Later changes of the source or the copy leave the other unchanged. A copy has its own created_at.',
    ...onStopped(['control', 'write', 'clock'], async (ctx, { id }) => {
      const scope = ofIntern(id);
      const [name = ''] = await inWorkspace(ctx, 1);
      const source = (await secretsIn(ctx, WORKSPACE)).get(name);
      await ctx.clock.advance(1_000);
      const [one] = copied(await copy(ctx, id, [name]));
      equal(one?.created_at === source?.created_at, false, 'created_at of the copy, that of its source');
      await store(ctx, WORKSPACE, name, codeWord(ctx), ['other.example.com']);
      equal((await secretsIn(ctx, scope)).get(name), one, 'the copy after its source changed');
      await ctx.clock.advance(1_000);
      const [again] = copied(await copy(ctx, id, [name]));
      equal(again?.created_at, one?.created_at, 'created_at of a copy over a secret');
      expect.status(await remove(ctx, WORKSPACE, name), 204, 'the delete of the source');
      equal((await secretsIn(ctx, scope)).get(name), again, 'the copy after its source is gone');
      expect.status(await remove(ctx, scope, name), 204, 'the delete of the copy');
    }),
  },
  'vault/writes-off': {
    requirement: 'VAULT-8',
    title: 'While vault writes are disabled every write is 503 and changes nothing; reads go on.',
    ...onStopped(['control', 'write'], async (ctx, { id }) => {
      const name = secretName(ctx);
      const scopes = [WORKSPACE, ofIntern(id)];
      const before = await Promise.all(
        scopes.map((scope) => store(ctx, scope, name, codeWord(ctx), ['was.example.com'])),
      );
      await ctx.control.settings({ vault_writes: 'off' });
      for (const row of VAULT_OPERATIONS) {
        const answer = await ctx.send(row.request(id, name));
        if (row.writes) expect.error(answer, { status: 503 }, `${row.name} while writes are off`);
        else expect.status(answer, 200, `${row.name} while writes are off`);
      }
      for (const [at, scope] of scopes.entries())
        equal((await secretsIn(ctx, scope)).get(name), before[at], 'the secret after refused writes');
      await ctx.control.settings({ vault_writes: 'on' });
      for (const scope of scopes) await store(ctx, scope, name, codeWord(ctx));
    }),
  },
  'vault/writes-off-refusal': {
    requirement: 'VAULT-8',
    level: 'C',
    title: 'The 503 says vault_writes_disabled, retryable, with Retry-After.',
    ...onStopped(['control', 'write'], async (ctx, { id }) => {
      const name = secretName(ctx);
      for (const scope of [WORKSPACE, ofIntern(id)]) await store(ctx, scope, name, codeWord(ctx));
      await ctx.control.settings({ vault_writes: 'off' });
      for (const row of VAULT_OPERATIONS.filter(({ writes }) => writes)) {
        const answer = await ctx.send(row.request(id, name));
        expect.error(answer, OFF, row.name);
        expect.retryAfter(answer, row.name);
      }
    }),
  },
  'vault/faults': {
    requirement: 'VAULT-8',
    level: 'C',
    title: 'Faults of vault-list, vault-store, vault-delete and vault-copy hit both scopes, and no other operation.',
    ...onStopped(['control', 'write'], async (ctx, { id }) => {
      const name = secretName(ctx);
      const json = { value: codeWord(ctx), hosts: HOSTS };
      const done = { 'vault-list': 200, 'vault-store': 200, 'vault-delete': 204, 'vault-copy': 200 } as const;
      const calls: readonly (readonly [keyof typeof done, string, () => Promise<Answer>])[] = [
        ['vault-store', 'the store in the workspace', () => put(ctx, WORKSPACE, name, json)],
        ['vault-store', 'the store in the intern', () => put(ctx, ofIntern(id), name, json)],
        ['vault-list', 'the list of the workspace', () => list(ctx, WORKSPACE)],
        ['vault-list', 'the list of the intern', () => list(ctx, ofIntern(id))],
        ['vault-copy', 'the copy', () => copy(ctx, id, [name])],
        ['vault-delete', 'the delete in the intern', () => remove(ctx, ofIntern(id), name)],
        ['vault-delete', 'the delete in the workspace', () => remove(ctx, WORKSPACE, name)],
      ];
      for (const [operation, what, call] of calls) {
        await ctx.control.fault({ operation, status: 502 });
        if (operation !== 'vault-list')
          expect.status(await list(ctx, WORKSPACE), 200, `a list under a fault of ${operation}`);
        expect.error(await call(), { status: 502 }, `${what} under a fault`);
        expect.status(await call(), done[operation], `${what} after it`);
      }
    }),
  },
});
