import type { Intern } from '../../emulator/contract/intern.js';
import type { Check } from '../framework/check.js';
import type { Ctx } from '../framework/context.js';
import type { Need } from '../framework/needs.js';
import * as chat from './chat.js';
import { invoke } from './turns.js';

/** An intern for checks: its record, and functions to talk to it. */
export type Partner = Intern & ReturnType<typeof conversation>;

/** Functions to talk to an intern, and to ask about its runs. */
function conversation(ctx: Ctx, id: string) {
  const with_ =
    <Given extends unknown[], Gives>(does: (ctx: Ctx, id: string, ...given: Given) => Gives) =>
    (...given: Given): Gives =>
      does(ctx, id, ...given);
  return {
    chat: with_((_, ...given: Parameters<Ctx['chat']>) => ctx.chat(...given)),
    answer: with_((_, ...given: Parameters<Ctx['answer']>) => ctx.answer(...given)),
    talk: with_(chat.talk),
    unstreamed: with_(chat.unstreamed),
    streaming: with_(chat.streaming),
    held: with_(chat.held),
    resumed: with_(chat.resumed),
    asked: with_(chat.asked),
    answered: with_(chat.answered),
    badAnswer: with_(chat.badAnswer),
    stillOpen: with_(chat.stillOpen),
    newest: with_(chat.newest),
    fate: with_(chat.fate),
    invoke: with_(invoke),
  };
}

/** Adds the functions to a record. They are not enumerable, so that records can be compared. */
export function talkingTo(ctx: Ctx, intern: Intern): Partner {
  const all = Object.entries(conversation(ctx, intern.id)).map(([name, value]) => [name, { value }] as const);
  return Object.defineProperties({ ...intern }, Object.fromEntries(all)) as Partner;
}

type Make = (ctx: Ctx, overrides?: Record<string, unknown>) => Promise<Partner>;

/** A running intern of its own. */
export const runningOne: Make = async (ctx, over) => talkingTo(ctx, await ctx.interns.running(over));
export const sharedOne: Make = async (ctx) => talkingTo(ctx, await ctx.interns.shared());
export const stoppedOne: Make = async (ctx, over) => talkingTo(ctx, await ctx.interns.stopped(over));

type Does = (ctx: Ctx, intern: Partner) => Promise<void>;

/** A check of such an intern. `running` implies `write`. */
const on =
  (need: Need, intern: Make) =>
  (needs: readonly Need[], does: Does): Pick<Check, 'needs' | 'run'> => ({
    needs: needs.some((one) => one === 'write' || one === 'running') ? needs : [need, ...needs],
    run: async (ctx) => does(ctx, await intern(ctx)),
  });

/** A check of a running intern, with its further needs: `...onRunning(['control'], async (ctx, intern) => {`. */
export const onRunning = on('running', runningOne);
export const onShared = on('running', sharedOne);
export const onStopped = on('write', stoppedOne);
