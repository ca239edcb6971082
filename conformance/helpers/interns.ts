import type { Intern } from '../../emulator/contract/intern.js';
import type { Check } from '../framework/check.js';
import type { Ctx } from '../framework/context.js';

type Does = (ctx: Ctx, intern: Intern) => Promise<void>;

const on =
  (intern: (ctx: Ctx) => Promise<Intern>) =>
  (does: Does): Check['run'] =>
  async (ctx) =>
    does(ctx, await intern(ctx));

/** A check of an intern that runs, of the one that checks share, which runs too, or of one that does not run. */
export const onRunning = on(({ interns }) => interns.running());
export const onShared = on(({ interns }) => interns.shared());
export const onStopped = on(({ interns }) => interns.stopped());
