import { type Check, defineChecks } from '../framework/check.js';
import { sendRows } from '../requests/send.js';
import { rulesFor } from '../rules/index.js';

/** Every rule, as a monitor of a run. */
export const RULE_CHECKS: readonly Check[] = rulesFor().map(({ id, requirement, level, says, settles }) => ({
  id,
  requirement,
  level,
  title: says,
  needs: [],
  watch: () => (settles === true ? { lasts: true } : {}),
  run: async () => {},
}));

/** The rows: requests by their parts, judged by the rules. */
export const ROWS = defineChecks({
  'rows/interface': {
    requirement: 'BODY-4',
    title: 'Every request by its parts, each bad value alone among good ones.',
    needs: ['running'],
    sweeps: true,
    async run(ctx) {
      await sendRows(ctx, {
        has: (need) => ctx.has(need),
        passes: 1,
        broken: () => ctx.broken(),
        over: () => ctx.over(),
      });
    },
  },
});
