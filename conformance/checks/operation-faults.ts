import fc from 'fast-check';
import type { FaultOperation } from '../drivers/control.js';
import { equal, fail, ok } from '../framework/assert.js';
import { defineChecks } from '../framework/check.js';
import type { Ctx } from '../framework/context.js';
import * as expect from '../framework/expect.js';
import { textBytes } from '../helpers/bytes.js';
import { operation, request } from '../helpers/operations.js';
import { whyNoAnswer } from '../probe/client.js';
import { internPath, type Send } from '../probe/request.js';

const STATUSES = [408, 429, 500, 502, 503, 504];
const NAMES = ['list', 'create', 'get', 'update', 'delete', 'provision', 'suspend', 'daemon', 'sign'] as const;

/** A call of the operation that would be accepted, or refused for its state alone, which comes after the fault. */
const call = (ctx: Ctx, name: (typeof NAMES)[number], id: string): Send => ({
  ...request(ctx, operation(name), id),
  limited: true,
});

export const OPERATION_FAULTS = defineChecks([
  {
    id: 'faults/every-operation',
    requirement: 'EMU-6',
    level: 'C',
    title: 'On every operation a fault answers its status in the error form, for so many calls, and then no more.',
    needs: ['control', 'write', 'oauth_token'],
    maxRuns: 40,
    async run(ctx) {
      const { control, interns, property } = ctx;
      const intern = await interns.stopped();
      const names = fc.constantFrom(...NAMES.filter((name) => name !== 'delete'));
      const times = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined });
      await property('faults', names, fc.constantFrom(...STATUSES), times, async (name, status, count) => {
        await control.fault({
          operation: name as FaultOperation,
          status,
          ...(count === undefined ? {} : { times: count }),
        });
        for (let nth = 1; nth <= (count ?? 1); nth++) {
          const answer = await ctx.send(call(ctx, name, intern.id));
          expect.error(answer, { status }, `${name} with a fault, call ${nth}`);
          const { error } = answer.json as { error: Record<string, unknown> };
          ok('metadata' in error, `error of ${name} with a fault`, 'metadata', error);
        }
        const after = await ctx.send(call(ctx, name, intern.id));
        ok(after.status < 400 || after.status === 409, `${name} after the fault`, 'no fault', expect.seen(after));
        if (name === 'provision') await interns.until(intern.id, ['running', 'stopped']);
      });
    },
  },
  {
    id: 'faults/scim-form',
    requirement: 'EMU-6',
    level: 'C',
    title: 'A fault of SCIM comes without metadata, whatever its status.',
    needs: ['control', 'management_key', 'scim_mapping'],
    async run({ api, control, target }) {
      for (const status of STATUSES) {
        await control.fault({ operation: 'scim', status });
        const answer = await api.scim(target.scimMappingId ?? '', { as: 'management_key', limited: true });
        expect.error(answer, { status, metadata: 'absent' }, 'the mapping with a fault');
        expect.status(
          await api.scim(target.scimMappingId ?? '', { as: 'management_key' }),
          200,
          'the mapping after it',
        );
      }
    },
  },
  {
    id: 'faults/nothing-was-done',
    requirement: 'EMU-6',
    level: 'C',
    title: 'A call that a fault answered has done nothing: no intern, no change, no delete.',
    needs: ['control', 'write'],
    async run(ctx) {
      const { api, control, interns } = ctx;
      const intern = await interns.stopped();
      const body = interns.body();
      for (const name of ['create', 'update', 'delete', 'provision'] as const) {
        await control.fault({ operation: name, status: 503 });
      }
      expect.status(await api.create(body), 503, 'a create with a fault');
      const { data } = expect.page(await api.list(), 'the list');
      ok(!data.some(({ name }) => name === body.name), 'the list', 'no intern of the failed create');
      expect.status(await api.update(intern.id, { description: 'lost' }), 503, 'an update with a fault');
      expect.status(await api.provision(intern.id), 503, 'a provision with a fault');
      expect.status(await api.remove(intern.id), 503, 'a delete with a fault');
      equal(expect.intern(await api.get(intern.id), 200, 'the read'), intern, 'the intern after failed calls');
      expect.status(await api.create(body), 201, 'the create after the fault');
    },
  },
  {
    id: 'faults/refused-lifecycle-calls',
    requirement: 'EMU-6',
    level: 'C',
    title: 'A call that is refused for what it is uses no fault up: 401, 404, 405, 413, 415 and 400.',
    needs: ['control', 'write', 'foreign_workspace'],
    async run(ctx) {
      const { api, control, interns, send, target, wrongKey } = ctx;
      const intern = await interns.stopped();
      await control.fault({ operation: 'create', status: 500 });
      await control.fault({ operation: 'update', status: 500 });
      expect.status(await api.create(interns.body(), { as: wrongKey }), 401, 'a create with a wrong key');
      expect.status(await api.create({}), 400, 'an invalid create');
      const foreign = interns.body({ workspace_id: target.foreignWorkspaceId });
      expect.status(await api.create(foreign), 404, 'a create elsewhere');
      expect.status(await send({ method: 'POST', path: '/interns', body: textBytes('{}') }), 415, 'a create as text');
      const large = new Uint8Array(1_048_577).fill(0x20);
      const headers = { 'content-type': 'application/json' };
      expect.status(await send({ method: 'POST', path: '/interns', body: large, headers }), 413, 'a large create');
      expect.status(await api.update(interns.unknownId(), { description: 'x' }), 404, 'an update of nobody');
      expect.status(await api.update(intern.id, { colour: 'x' }), 400, 'an invalid update');
      expect.status(await send({ method: 'PUT', path: internPath(intern.id) }), 405, 'another method');
      expect.status(await api.create(interns.body()), 500, 'the create that meets the fault');
      expect.status(await api.update(intern.id, { description: 'x' }), 500, 'the update that meets the fault');
    },
  },
  {
    id: 'faults/delayed-lifecycle-calls',
    requirement: 'EMU-6',
    level: 'C',
    title: 'A delayed call is answered when its time has come, with its own answer or the status of the fault.',
    needs: ['control', 'clock', 'write'],
    async run(ctx) {
      const { control, clock, interns, send, settle } = ctx;
      const intern = await interns.stopped();
      for (const [delay, ms, status] of [
        [1_500, 1_500, undefined],
        ['5s', 5_000, 503],
      ] as const) {
        await control.fault({ operation: 'get', delay, ...(status === undefined ? {} : { status }) });
        let done = false;
        const pending = send({ path: internPath(intern.id) }).finally(() => {
          done = true;
        });
        await settle();
        await clock.advance(ms - 1);
        await settle();
        equal(done, false, `whether a call delayed by ${delay} is answered 1 ms before`);
        await clock.advance(1);
        expect.status(await pending, status ?? 200, `a call delayed by ${delay}`);
      }
    },
  },
  {
    id: 'faults/dropped-lifecycle-calls',
    requirement: 'EMU-6',
    level: 'C',
    title: 'A dropped connection is no answer; the next call is answered.',
    needs: ['control', 'write'],
    async run(ctx) {
      const { api, control, interns } = ctx;
      const intern = await interns.stopped();
      for (const operation of ['get', 'update'] as const) {
        await control.fault({ operation, disconnect: true });
        const send = () => (operation === 'get' ? api.get(intern.id) : api.update(intern.id, { description: 'x' }));
        const answer = await send().catch((error: unknown) => {
          const why = whyNoAnswer(error);
          if (why !== undefined && why.kind !== 'timeout') return undefined;
          throw error;
        });
        if (answer !== undefined) fail(`${operation} with a dropped connection`, 'no answer', expect.seen(answer));
        expect.status(await send(), 200, `the ${operation} after it`);
      }
    },
  },
  {
    id: 'faults/list-and-clear',
    requirement: 'EMU-6',
    level: 'C',
    title: 'Faults that wait are listed, and DELETE takes them away.',
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
]);
