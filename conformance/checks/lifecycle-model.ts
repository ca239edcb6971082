import fc from 'fast-check';
import { checksOf } from '../framework/check.js';
import type { Ctx } from '../framework/context.js';
import type { Command, Real } from '../walk/command.js';
import { type CommandName, commands } from '../walk/commands.js';
import { createLives } from '../walk/lives.js';

const LIFE: readonly CommandName[] = ['create', 'retry', 'get', 'list', 'update', 'provision', 'suspend', 'delete'];
const TALK: readonly CommandName[] = [...LIFE, 'provision', 'chat', 'chat', 'chat', 'answer', 'answer', 'invoke'];

/** Any sequence of commands does to the target what it does to the model. */
async function holds(
  ctx: Ctx,
  names: readonly CommandName[],
  how: Pick<Real, 'published' | 'inTime'>,
  most = ctx.upTo(30, 5),
): Promise<void> {
  await ctx.property('commands', commands(names, most), async (sequence: Command[]) => {
    await fc.asyncModelRun(() => ({ model: createLives(), real: { ctx, asked: [], ...how } }), sequence);
  });
}

/** Sequences of operations against an independent model of the lifecycle. */
export const LIFECYCLE_MODEL = checksOf('LIFE-1', {
  'model/lifecycle': {
    title: 'Any sequence of lifecycle operations does what the operations state.',
    needs: ['running'],
    maxRuns: 20,
    run: (ctx) => holds(ctx, LIFE, { published: false, inTime: false }),
  },
  'model/conversations': {
    title: 'Chat, answers and invoke do what they state at any point of the lifecycle.',
    needs: ['running', 'behaviour:ask-permission'],
    maxRuns: 20,
    run: (ctx) => holds(ctx, TALK, { published: false, inTime: false }),
  },
  'model/in-time': {
    title: 'Boots and teardowns end whatever happens meanwhile, and signing works throughout.',
    needs: ['running', 'behaviour:ask-permission', 'oauth_token', 'clock'],
    maxRuns: 20,
    run: (ctx) => holds(ctx, [...TALK, 'sign', 'wait', 'wait'], { published: false, inTime: true }),
  },
  'model/statuses': {
    level: 'P',
    title: 'Statuses and refusals follow the published transitions under any sequence of operations.',
    needs: ['running', 'behaviour:ask-permission'],
    maxRuns: 20,
    run: (ctx) => holds(ctx, TALK, { published: true, inTime: false }),
  },
});
