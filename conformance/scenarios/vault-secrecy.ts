import fc from 'fast-check';
import { createKnown } from '../../emulator/credentials/known.js';
import { spelledIn } from '../../emulator/credentials/spellings.js';
import { equal, fail, gist, match, ok } from '../model/assert.js';
import type { Answer } from '../probe/client.js';
import { talk } from '../requests/chat.js';
import {
  copy,
  HOSTS,
  list,
  ofIntern,
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
import { onRunning, onStopped } from './steps/interns.js';
import { codeWord } from './steps/words.js';

/** Nothing of an answer holds a value, however it is spelt. */
function withoutValue(text: string, value: string, what: string): void {
  const [first] = spelledIn(text, createKnown([value], { enough: (length) => Math.ceil(length / 2) }));
  if (first !== undefined)
    fail(what, 'nothing of the value of a secret', gist(`the value, at ${first.start}`), { leak: true });
}
const hides = (answer: Answer, value: string, what: string) =>
  withoutValue([...answer.headers].flat().concat(answer.text).join('\n'), value, what);

/** Values that nobody would say by chance. */
const values = (ctx: Pick<Ctx, 'random'>) => {
  const word = codeWord(ctx);
  return fc
    .tuple(fc.constantFrom('', 'sk-', '"', '\\', 'é ', '\n'), fc.constantFrom('', '=', '😀', '"', '/+'))
    .map(([before, after]) => `${before}${word}${after}`);
};

/** Bodies that are refused, with the value in them. */
const misplaced = (value: string): readonly unknown[] => [
  { value, hosts: [] },
  { value, hosts: [`https://${value}`] },
  { value: [value], hosts: HOSTS },
  value,
];

/** Values that are nearly alike. */
const VALUES = [VALUE, VALUE.toUpperCase(), 'é', 'e\u0301', `${VALUE} `, 'a', ' '];

export const VAULT_SECRECY = checksOf('VAULT-2', {
  'vault/value-in-no-answer': {
    title: 'The value of a secret is in no answer: not of its store, a list, a copy, a delete, nor of a refusal.',
    maxRuns: 8,
    ...onStopped([], async (ctx, { id }) => {
      const name = secretName(ctx);
      await ctx.property('values', values(ctx), async (value) => {
        for (const scope of [WORKSPACE, ...ctx.sample([ofIntern(id)], 0)]) {
          const stored = await put(ctx, scope, name, { value, hosts: HOSTS });
          expect.done(stored, 'a store');
          hides(stored, value, 'the answer to a store');
          hides(await list(ctx, scope), value, 'a list of secrets');
        }
        const copied = await copy(ctx, id, [name]);
        expect.done(copied, 'a copy');
        hides(copied, value, 'the answer to a copy');
        for (const json of ctx.sample(misplaced(value))) {
          const refused = await put(ctx, ofIntern(id), name, json);
          expect.refused(refused, 'a store that is refused');
          hides(refused, value, 'the refusal of a store');
        }
        hides(await remove(ctx, ofIntern(id), name), value, 'the answer to a delete');
      });
    }),
  },
  'vault/value-in-no-journal': {
    level: 'C',
    title: 'The value of a secret is in no journal, also where its store was refused.',
    ...onStopped(['control', 'write'], async (ctx, { id }) => {
      const name = secretName(ctx);
      const value = `sk-${codeWord(ctx)}`;
      await store(ctx, ofIntern(id), name, value);
      expect.refused(
        await put(ctx, ofIntern(id), name, { value, hosts: [`https://${value}`] }),
        'a store that is refused',
      );
      const journal = await ctx.control.journal();
      ok(journal.includes(name), 'the journal', 'the name of the secret', 'no mention of it');
      withoutValue(journal, value, 'the journal');
    }),
  },
  'vault/rows-without-hosts': {
    level: 'C',
    title: 'hosts and fingerprint are null together: in the row of the seed that is older than host binding.',
    needs: ['control', 'disposable', 'write'],
    async run(ctx) {
      await ctx.reset();
      const old = (await secretsIn(ctx, WORKSPACE)).get('legacy_token');
      const { hosts, fingerprint } = old ?? {};
      equal({ hosts, fingerprint }, { hosts: null, fingerprint: null }, 'the secret without hosts');
      for (const secret of (await secretsIn(ctx, WORKSPACE)).values())
        equal(secret.hosts === null, secret.fingerprint === null, 'null of both or of neither');
      const bound = await store(ctx, WORKSPACE, 'legacy_token', VALUE);
      equal(bound.hosts, HOSTS, 'hosts of the secret once it is stored again');
    },
  },
  'vault/fingerprints-as-values': {
    requirement: 'VAULT-4',
    title:
      'In one vault fingerprints are equal exactly where values are, under whatever name and hosts, and stored again too.',
    needs: ['write'],
    maxRuns: 5,
    async run(ctx) {
      const scope = ofIntern((await ctx.interns.stopped()).id);
      const name = secretName(ctx);
      const many = VALUES.slice(0, ctx.upTo(VALUES.length, 4));
      const shuffled = fc.shuffledSubarray(many, { minLength: many.length, maxLength: many.length });
      const given = shuffled.map((order) => [...order, ...order.slice(0, ctx.upTo(2, 1))]);
      await ctx.property('values', given, async (all) => {
        const shown: unknown[] = [];
        for (const [at, value] of all.entries())
          shown.push((await store(ctx, scope, `${name}_${at}`, value, [`h${at}.example.com`])).fingerprint);
        const alike = (these: readonly unknown[]) => these.map((one) => these.indexOf(one));
        equal(alike(shown), alike(all), 'which fingerprints are alike');
        const again = await store(ctx, scope, `${name}_0`, all[0] ?? '', ['again.example.com']);
        equal(again.fingerprint, shown[0], 'fingerprint of the same value, stored again');
      });
    },
  },
  'vault/fingerprints-of-vaults': {
    requirement: 'VAULT-4',
    title: 'The same value has another fingerprint in another vault.',
    needs: ['write'],
    async run(ctx) {
      const interns = [await ctx.interns.stopped()];
      if (ctx.upTo(2, 1) === 2) interns.push(await ctx.interns.stopped());
      const name = secretName(ctx);
      const value = codeWord(ctx);
      const shown: unknown[] = [];
      for (const scope of [WORKSPACE, ...interns.map(({ id }) => ofIntern(id))])
        shown.push((await store(ctx, scope, name, value)).fingerprint);
      equal(new Set(shown).size, shown.length, 'different fingerprints of one value in as many vaults');
    },
  },
  'vault/fingerprint-form': {
    requirement: 'VAULT-4',
    level: 'C',
    title: 'A fingerprint is 64 lower-case hex digits, and stays as it is over a suspension.',
    ...onRunning(['control', 'running'], async (ctx, { id }) => {
      const name = secretName(ctx);
      const { fingerprint } = await store(ctx, ofIntern(id), name, VALUE);
      match(fingerprint, /^[0-9a-f]{64}$/, 'fingerprint of a secret');
      expect.done(await ctx.api.suspend(id), 'the suspend');
      await ctx.interns.untilSuspended(id);
      const again = await store(ctx, ofIntern(id), name, VALUE);
      equal(again.fingerprint, fingerprint, 'fingerprint after a suspension');
    }),
  },
  'vault/released-to-its-hosts': {
    requirement: 'VAULT-9',
    title: 'A script learns whether its vault would release a secret: to exactly its hosts, in any spelling of them.',
    ...onRunning(['control', 'running'], async (ctx, { id }) => {
      const name = secretName(ctx);
      await store(ctx, ofIntern(id), name, VALUE, ['api.example.com']);
      const asked = async (secret: string, to: string) =>
        (await talk(ctx, id, await ctx.script([{ release: secret, to }]))).content;
      for (const to of ['api.example.com', 'API.Example.com.'])
        equal(await asked(name, to), 'released', `the verdict for ${to}`);
      for (const to of ['example.com', 'x.api.example.com', 'api.example.com.test', 'api.example.co'])
        equal(await asked(name, to), 'refused: host', `the verdict for ${to}`);
      equal(
        await asked(secretName(ctx), 'api.example.com'),
        'refused: missing',
        'the verdict of a secret that is not there',
      );
      const inWorkspace = secretName(ctx);
      await store(ctx, WORKSPACE, inWorkspace, VALUE);
      equal(await asked(inWorkspace, 'api.example.com'), 'refused: missing', 'the verdict of one of the workspace');
      expect.done(await copy(ctx, id, [inWorkspace]), 'the copy');
      equal(await asked(inWorkspace, 'api.example.com'), 'released', 'the verdict of its copy');
    }),
  },
  'vault/released-from-a-borrowed-vault': {
    requirement: 'VAULT-9',
    title: 'An intern that borrows a vault is given what is there, after its own, and cannot change it.',
    needs: ['control', 'running'],
    async run(ctx) {
      const owner = await ctx.interns.stopped();
      const { id } = await ctx.interns.running({ vault_id: owner.vault_id });
      const [name, both] = [secretName(ctx), secretName(ctx)];
      for (const one of [name, both]) await store(ctx, ofIntern(owner.id), one, VALUE, ['api.example.com']);
      await store(ctx, ofIntern(id), both, VALUE, ['other.example.com']);
      const asked = async (secret: string) =>
        (await talk(ctx, id, await ctx.script([{ release: secret, to: 'api.example.com' }]))).content;
      equal(await asked(name), 'released', 'the verdict of a secret of the borrowed vault');
      equal(await asked(both), 'refused: host', 'the verdict of a secret that its own vault has too');
      equal(
        (await secretsIn(ctx, ofIntern(id))).has(name),
        false,
        "a secret of the borrowed vault in the intern's list",
      );
      expect.status(await remove(ctx, ofIntern(id), name), 404, 'the delete of a secret of the borrowed vault');
    },
  },
  'vault/sealed': {
    requirement: 'VAULT-9',
    title: 'Exports and snapshots hold no value of a secret in clear.',
    ...onStopped(['control', 'write'], async (ctx, { id }) => {
      const name = secretName(ctx);
      const value = `sk-${codeWord(ctx)}`;
      await store(ctx, ofIntern(id), name, value);
      const snapshot = `/snapshots/${name.replaceAll('_', '-')}`;
      equal((await ctx.control.call('PUT', snapshot)).ok, true, 'success of keeping a snapshot');
      for (const path of ['/state', '/state?credentials=1', snapshot]) {
        const answer = await ctx.control.call('GET', path);
        const text = await answer.text();
        equal(answer.status, 200, `the status of GET ${path}`);
        withoutValue(text, value, `the answer to GET ${path}`);
      }
      const state = await (await ctx.control.call('GET', '/state')).text();
      ok(state.includes(name), 'the export', 'the name of the secret', 'no mention of it');
      await ctx.control.call('DELETE', snapshot);
    }),
  },
});
