import { equal } from '../framework/assert.js';
import { checksOf } from '../framework/check.js';
import * as expect from '../framework/expect.js';
import { onStopped } from '../helpers/interns.js';
import { OPERATIONS } from '../helpers/operations.js';
import { compatible, STAGES, spoilt } from '../helpers/refusals.js';

const NEEDS = ['control', 'write', 'regional_host', 'outsider_api_key', 'oauth_token'] as const;

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
});
