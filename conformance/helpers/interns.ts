import type { Intern } from '../../emulator/contract/intern.js';
import type { Check } from '../framework/check.js';
import type { Ctx } from '../framework/context.js';
import type { Need } from '../framework/needs.js';
import * as chat from './chat.js';
import { invoke, steers } from './turns.js';

/** An intern as a check works with it: its record, and what is said to it. */
export type Partner = Intern & ReturnType<typeof conversation>;

/** The words of a check to an intern, and its questions about runs. */
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
    steers: with_(steers),
  };
}

/** An intern that was made in another way. Its record is compared with others: what is said to it is no part of that. */
export function talkingTo(ctx: Ctx, intern: Intern): Partner {
  const all = Object.entries(conversation(ctx, intern.id)).map(([name, value]) => [name, { value }] as const);
  return Object.defineProperties({ ...intern }, Object.fromEntries(all)) as Partner;
}

type Make = (ctx: Ctx, overrides?: Record<string, unknown>) => Promise<Partner>;

/** An intern that runs, the one that checks share, which runs too, and one that does not run. */
export const runningOne: Make = async (ctx, over) => talkingTo(ctx, await ctx.interns.running(over));
export const sharedOne: Make = async (ctx) => talkingTo(ctx, await ctx.interns.shared());
export const stoppedOne: Make = async (ctx, over) => talkingTo(ctx, await ctx.interns.stopped(over));

type Does = (ctx: Ctx, intern: Partner) => Promise<void>;

/** `running` implies `write`, and either is named where it does not come first. */
const on =
  (need: Need, intern: Make) =>
  (needs: readonly Need[], does: Does): Pick<Check, 'needs' | 'run'> => ({
    needs: needs.some((one) => one === 'write' || one === 'running') ? needs : [need, ...needs],
    run: async (ctx) => does(ctx, await intern(ctx)),
  });

/** A check of such an intern, and what it needs beside that: `...onShared(['control'], async (ctx, intern) => {`. */
export const onRunning = on('running', runningOne);
export const onShared = on('running', sharedOne);
export const onStopped = on('write', stoppedOne);
