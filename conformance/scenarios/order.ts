import fc from 'fast-check';
import { equal } from '../framework/assert.js';
import { checksOf } from '../framework/check.js';
import * as expect from '../framework/expect.js';
import { onStopped } from '../helpers/interns.js';
import { DIGEST, OPERATIONS, operation } from '../helpers/operations.js';
import { compatible, STAGES, spoilt } from '../helpers/refusals.js';

const NEEDS = ['control', 'write', 'regional_host', 'outsider_api_key', 'oauth_token'] as const;

const BUSY_HEADERS = (key: string) => ({ headers: { 'idempotency-key': key } });

export const ORDER = checksOf('BODY-5', {
  'order/pairs': {
    title: 'Of any two faults in one request the one of the earlier stage is reported.',
    ...onStopped(NEEDS, async (ctx, intern) => {
      for (const row of OPERATIONS) {
        const stages = STAGES.filter((stage) => stage.applies(row));
        for (const [at, first] of stages.entries()) {
          // The next stage that can be spoilt beside this one: neighbours in pairs prove the whole order.
          const next = stages.slice(at + 1).find((stage) => compatible(first, stage));
          for (const faults of next === undefined ? [[first]] : [[first], [first, next]]) {
            const answer = await ctx.send(await spoilt(ctx, row, intern.id, faults));
            expect.status(answer, first.status, `${row.name} with ${faults.map(({ name }) => name).join(' and ')}`);
          }
        }
      }
      equal(expect.intern(await ctx.api.get(intern.id), 200, 'the read').status, 'stopped', 'status in the end');
    }),
  },
  'order/any-faults': {
    title: 'However many faults a request has, the one of the earliest stage is reported.',
    maxRuns: 60,
    ...onStopped(NEEDS, async (ctx, intern) => {
      const names = fc.constantFrom(...OPERATIONS.map(({ name }) => name));
      const some = fc.subarray(
        STAGES.map(({ name }) => name),
        { minLength: 2 },
      );
      await ctx.property('faults', names, some, async (name, picked) => {
        const row = operation(name);
        const faults = STAGES.filter((stage) => picked.includes(stage.name) && stage.applies(row));
        fc.pre(faults.length > 0);
        fc.pre(faults.every((one) => faults.every((other) => one === other || compatible(one, other))));
        const answer = await ctx.send(await spoilt(ctx, row, intern.id, faults));
        expect.status(answer, faults[0]?.status ?? 0, `${name} with ${faults.map((stage) => stage.name).join(', ')}`);
      });
    }),
  },
  'order/workspace-after-body': {
    title: 'A foreign workspace is reported after an invalid body and a bad Idempotency-Key, and before a conflict.',
    needs: ['control', 'write', 'foreign_workspace'],
    async run({ api, interns, target }) {
      const workspace_id = target.foreignWorkspaceId;
      const body = interns.body();
      const key = `order-${body.name}`;
      expect.status(await api.create(body, BUSY_HEADERS(key)), 201, 'the create that uses the key');
      const elsewhere = interns.body({ workspace_id });
      expect.status(await api.create({ ...elsewhere, name: 'A' }, BUSY_HEADERS(key)), 400, 'a bad name elsewhere');
      expect.status(await api.create(elsewhere, BUSY_HEADERS('')), 400, 'an empty key elsewhere');
      expect.status(await api.create(elsewhere, BUSY_HEADERS(key)), 404, 'a reused key elsewhere');
      expect.status(await api.create({ ...body, workspace_id }), 404, 'a taken name elsewhere');
      const query = { workspace_id: target.foreignWorkspaceId ?? '', limit: 0 };
      expect.status(await api.list(query), 400, 'a bad limit in a foreign workspace');
    },
  },
  'order/fault-before-state': {
    title: 'An injected fault comes after what is wrong with the request, and before its state and the limiter.',
    needs: ['control', 'running', 'oauth_token', 'foreign_workspace'],
    async run(ctx) {
      const { api, interns, control, target } = ctx;
      const stopped = await interns.stopped();
      const taken = await interns.stopped();
      const foreign = interns.body({ workspace_id: target.foreignWorkspaceId });
      const one = { limited: true };
      // A call that is refused for itself leaves the fault to the next one.
      await control.fault({ operation: 'create', status: 503 });
      expect.status(await api.create({ ...foreign, colour: 1 }), 400, 'an invalid create');
      expect.status(await api.create(foreign), 404, 'a create elsewhere');
      const clash = interns.body({ name: taken.name, description: 'clash' });
      expect.status(await api.create(clash), 503, 'a create that meets the fault before the name');
      expect.status(await api.create(clash), 409, 'the create after it');
      await control.fault({ operation: 'suspend', status: 500 });
      expect.status(await api.suspend(stopped.id), 500, 'a suspend that meets the fault before the state');
      expect.status(await api.suspend(stopped.id), 409, 'the suspend after it');
      await control.fault({ operation: 'invoke', status: 502 });
      expect.status(await api.invoke(stopped.id, { input: 'Hi.' }), 502, 'an invoke that meets the fault');
      await control.limit(1);
      expect.status(await api.sign(stopped.id, { bodySha256: DIGEST }, { as: 'oauth_token' }), 200, 'a signature');
      await control.fault({ operation: 'sign', status: 504 });
      const sign = () => api.sign(stopped.id, { bodySha256: DIGEST }, { as: 'oauth_token', ...one });
      expect.status(await sign(), 504, 'a signature that meets the fault before the limiter');
      expect.status(await sign(), 429, 'the signature after it');
    },
  },
});
