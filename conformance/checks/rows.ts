import { type Check, defineChecks } from '../framework/check.js';
import { sendRows } from '../requests/send.js';
import { checkOf } from '../rules/check.js';
import { RULES } from '../rules/index.js';

/** Every rule, as a check of a run. */
export const RULE_CHECKS: readonly Check[] = RULES.map(checkOf);

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
