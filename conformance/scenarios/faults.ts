import fc from 'fast-check';
import type { Operation } from '../../emulator/contract/operation.js';
import { equal, match, notEqual, ok, UUID } from '../model/assert.js';
import type { Answer } from '../probe/client.js';
import { internPath } from '../probe/request.js';
import { ASKING, broken, unstreamed } from '../requests/chat.js';
import { JSON_TYPE, OPERATIONS, operation, request, textBytes } from '../requests/operations.js';
import { checksOf } from '../run/check.js';
import type { Ctx } from '../run/context.js';
import * as expect from '../run/expect.js';
import { onRunning, onStopped, runningOne } from './steps/interns.js';

const STATUSES = [408, 429, 500, 502, 503, 504];

/** Every operation under `/interns` that leaves the intern there. */
const NAMES = OPERATIONS.map(({ name }) => name as Operation).filter((name) => !/^delete$| alias$/.test(name));

/** A valid call. Only the state of the intern may refuse it, which is checked after faults. */
const call = (ctx: Ctx, name: Operation, id: string): Promise<Answer> =>
  ctx.send({ ...request(ctx, operation(name), id), limited: true });

const UPSTREAM = { status: 502, reason: 'upstream_unavailable', retryable: true } as const;

const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });

async function called({ api }: Pick<Ctx, 'api'>, name: string) {
  return expect.page(await api.list(), 'the list').data.filter((intern) => intern.name === name);
}

/** A create that breaks off at `at`. Without `key` the key is derived. */
async function halfMade(ctx: Ctx, at: 'vault' | 'provisioner', key: string | undefined) {
  const body = ctx.interns.body(at === 'provisioner' ? { provision: true } : {});
  const options = key === undefined ? {} : keyed(`${key}-${body.name}`);
  await ctx.control.fault({ operation: 'create', at });
  const failed = await ctx.api.create(body, options);
  expect.error(failed, UPSTREAM, `a create that fails at the ${at}`);
  return { body, options };
}

const AT = fc.constantFrom('vault' as const, 'provisioner' as const);

/** EMU-6: injected faults. */
export const FAULTS = checksOf('EMU-6', {
  'faults/every-operation': {
    title: 'A fault answers the given number of calls of its operation with its status, in the error form.',
    ...onStopped(['control', 'running', 'oauth_token'], async (ctx, intern) => {
      const { control, interns } = ctx;
      const met = async (name: Operation, status: number, times: number | undefined) => {
        await control.fault({ operation: name, status, ...(times === undefined ? {} : { times }) });
        const other = await call(ctx, name === 'get' ? 'list' : 'get', intern.id);
        expect.status(other, 200, `another operation than the ${name} of the fault`);
        for (let nth = 1; nth <= (times ?? 1); nth++) {
          const answer = await call(ctx, name, intern.id);
          expect.error(answer, { status }, `${name} with a fault, call ${nth}`);
          const { error } = answer.json as { error: Record<string, unknown> };
          ok('metadata' in error, `error of ${name} with a fault`, 'metadata', error);
        }
        const after = await call(ctx, name, intern.id);
        ok(after.status < 400 || after.status === 409, `${name} after the fault`, 'no fault', expect.seen(after));
        if (name === 'provision') await interns.until(intern.id, ['running', 'stopped']);
      };
      for (const name of NAMES)
        for (const [at, status] of STATUSES.entries()) await met(name, status, [undefined, 1, 2, 3][at % 4]);
    }),
  },
  'faults/nothing-was-done': {
    title: 'A call that a fault answers has no effect: no intern, change, delete, run or accepted answer.',
    ...onStopped(['control', 'running'], async (ctx, intern) => {
      const { api, control, interns } = ctx;
      const body = interns.body();
      for (const operation of ['create', 'update', 'delete', 'provision'] as const)
        await control.fault({ operation, status: 503 });
      expect.status(await api.create(body), 503, 'a create with a fault');
      const { data } = expect.page(await api.list(), 'the list');
      ok(!data.some(({ name }) => name === body.name), 'the list', 'no intern of the failed create');
      expect.status(await api.update(intern.id, { description: 'lost' }), 503, 'an update with a fault');
      expect.status(await api.provision(intern.id), 503, 'a provision with a fault');
      expect.status(await api.remove(intern.id), 503, 'a delete with a fault');
      equal(expect.intern(await api.get(intern.id), 200, 'the read'), intern, 'the intern after failed calls');
      expect.status(await api.create(body), 201, 'the create after the fault');

      const running = await runningOne(ctx);
      const t = await running.asked(await ctx.script(ASKING));
      const before = (await control.runs(running.id)).length;
      await control.fault({ operation: 'chat', status: 502, times: 2 });
      expect.status(await running.unstreamed('Hello.'), 502, 'a prompt with a fault');
      expect.status(await (await running.answer(t, 'allow_once')).whole(), 502, 'a reply with a fault');
      equal((await control.runs(running.id)).length, before, 'runs after failed calls');
      expect.finish(await running.answered(t, 'allow_once'), 'stop', 'the reply after the fault');
    }),
  },
  'faults/refused-use-none': {
    title: 'A call that is invalid by itself uses up no fault: 401, 404, 405, 413, 415 and 400.',
    ...onRunning(['control', 'running', 'foreign_workspace'], async (ctx, intern) => {
      const { api, control, interns, send, target, wrongKey } = ctx;
      const { id } = intern;
      for (const operation of ['create', 'update', 'chat'] as const) await control.fault({ operation, status: 500 });
      const post = { method: 'POST', path: '/interns' };
      const foreign = interns.body({ workspace_id: target.foreignWorkspaceId });
      const large = new Uint8Array(1_048_577).fill(0x20);
      const refusals: readonly (readonly [number, string, () => Promise<Answer>])[] = [
        [401, 'a create with a wrong key', () => api.create(interns.body(), { as: wrongKey })],
        [400, 'an invalid create', () => api.create({})],
        [404, 'a create elsewhere', () => api.create(foreign)],
        [415, 'a create as text', () => send({ ...post, body: textBytes('{}') })],
        [413, 'a large create', () => send({ ...post, body: large, headers: JSON_TYPE })],
        [404, 'an update of nobody', () => api.update(interns.unknownId(), { description: 'x' })],
        [400, 'an invalid update', () => api.update(id, { colour: 'x' })],
        [405, 'another method', () => send({ method: 'PUT', path: internPath(id) })],
        [401, 'a prompt with a wrong key', () => intern.unstreamed('Hello.', { as: wrongKey })],
        [404, 'a prompt to an unknown intern', () => unstreamed(ctx, interns.unknownId(), 'Hello.')],
        [400, 'a prompt without messages', () => intern.unstreamed({ messages: [] })],
      ];
      for (const [status, what, ask] of refusals) expect.status(await ask(), status, what);
      for (const name of ['create', 'update', 'chat'] as const)
        expect.status(await call(ctx, name, id), 500, `the ${name} that meets the fault`);
    }),
  },
  'faults/delay': {
    title: 'A delayed call is answered after its delay, with its own answer or the status of the fault.',
    ...onRunning(['control', 'clock', 'running'], async (ctx, { id }) => {
      const { control, clock, settle } = ctx;
      for (const [operation, delay, ms, status] of [
        ['get', 1_500, 1_500, undefined],
        ['get', '5s', 5_000, 503],
        ['chat', '5s', 5_000, undefined],
      ] as const) {
        await control.fault({ operation, delay, ...(status === undefined ? {} : { status }) });
        let done = false;
        const pending = call(ctx, operation, id).finally(() => {
          done = true;
        });
        await settle();
        await settle();
        await clock.advance(ms - 1);
        await settle();
        equal(done, false, `whether a ${operation} delayed by ${delay} is answered 1 ms before`);
        await clock.advance(1);
        expect.status(await pending, status ?? 200, `a ${operation} delayed by ${delay}`);
      }
    }),
  },
  'faults/dropped': {
    title: 'A dropped connection gives no answer, or one that breaks off. The next call is answered.',
    ...onRunning(['control', 'clock', 'running'], async (ctx, { id }) => {
      const { control, clock } = ctx;
      for (const operation of ['get', 'update', 'chat', 'invoke'] as const) {
        await control.fault({ operation, disconnect: true });
        const lost = await broken(() => call(ctx, operation, id));
        ok(lost !== undefined, `${operation} with a dropped connection`, 'no whole answer', 'one');
        await clock.advance(31_000);
        expect.done(await call(ctx, operation, id), `the ${operation} after it`);
      }
    }),
  },
  'faults/list-and-clear': {
    title: 'Waiting faults are listed, and DELETE removes them.',
    needs: ['control'],
    async run({ api, control }) {
      await control.fault({ operation: 'list', status: 503, times: 2 });
      const waiting = async () =>
        (await (await control.call('GET', '/faults')).json()) as { data: Record<string, unknown>[] };
      const [fault] = (await waiting()).data;
      equal([fault?.operation, fault?.status, fault?.times], ['list', 503, 2], 'the fault that waits');
      expect.status(await api.list(), 503, 'the list with a fault');
      equal((await waiting()).data[0]?.times, 1, 'times of the fault after one call');
      await (await control.call('DELETE', '/faults')).text();
      equal((await waiting()).data, [], 'faults after DELETE');
      expect.status(await api.list(), 200, 'the list after DELETE');
    },
  },
  'create/unfinished-is-resumed': {
    requirement: 'CREATE-4',
    title: 'A create that broke off is resumed by its retry: one intern, with its vault, and provisioned if asked.',
    needs: ['control', 'running'],
    maxRuns: 10,
    async run(ctx) {
      const { api, interns, property } = ctx;
      await property('breaks', AT, fc.constantFrom('key', undefined), async (at, key) => {
        const { body, options } = await halfMade(ctx, at, key);
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
