import { type RowsOptions, sendFirst, sendRows } from '../requests/send.js';
import { walk } from '../requests/walk.js';
import { RULES } from '../rules/index.js';
import { type Check, checkOf, defineChecks } from '../run/check.js';
import type { Ctx } from '../run/context.js';

/** Every rule, as a check of a run. */
export const RULE_CHECKS: readonly Check[] = RULES.map(checkOf);

const options = (ctx: Ctx): RowsOptions => ({
  has: (need) => ctx.has(need),
  broken: () => ctx.broken(),
  over: () => ctx.over(),
  short: ctx.short,
});

/** The rows: requests by their parts, judged by the rules. */
export const ROWS = defineChecks({
  'rows/first': {
    requirement: 'BODY-4',
    title: 'Each operation once, and each mistake that several operations share once.',
    needs: ['running'],
    sweeps: true,
    run: (ctx) => sendFirst(ctx, options(ctx)),
  },
  'rows/interface': {
    requirement: 'BODY-4',
    title: 'Every value of each request: each bad one among good ones.',
    needs: ['running'],
    sweeps: true,
    run: (ctx) => sendRows(ctx, options(ctx)),
  },
});

/** Requests in random order. */
export const WALK = defineChecks({
  'walk/interface': {
    requirement: 'LIFE-1',
    title: 'Every answer in a random sequence of requests keeps the rules.',
    needs: ['running'],
    walks: true,
    maxRuns: 20,
    run: walk,
  },
});
