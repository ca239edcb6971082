import { Skipped, stoppedBy } from '../framework/skip.js';
import { type Stop, Stopped } from '../framework/stop.js';
import type { Limits } from './budget.js';

/** The reserve for units under way, and for a second look at their findings. Where less is left, no unit begins. */
const LAST = { share: 0.1, prompts: 2, requests: 12 };

/**
 * The room that the limits of a run leave: every request but those of the clean-up is let in here. `owed`: how many the
 * clean-up would take now.
 */
export function createRoom({ prompts: turns, requests }: Limits, owed: () => number) {
  let sent = 0;
  let prompts = 0;
  return {
    /**
     * Lets a request in. `prompt`: it may be taken as one; `owes`: what the clean-up has to send for it.
     *
     * @throws Stopped where no more may be sent, Skipped where no more prompts may be
     */
    enter({ prompt, owes }: { readonly prompt: boolean; readonly owes: number }) {
      if (sent + 1 + owes + owed() > requests.most) throw new Stopped(requests.stop);
      if (prompt && prompts >= turns.most) throw new Skipped(stoppedBy(turns.stop));
      sent++;
      if (prompt) prompts++;
    },
    /** A prompt was refused: it cost nothing. */
    refused: () => void prompts--,
    /** Units that were let in and have not left. */
    back(prompt: boolean) {
      sent--;
      if (prompt) prompts--;
    },
    /** Why no further unit is begun, where none is. `prompts`: it is about what an intern says. */
    without(unit: { readonly prompts: boolean }): Stop | undefined {
      const kept = (of: 'prompts' | 'requests', most: number) => Math.max(1, Math.min(LAST[of], LAST.share * most));
      if (sent + owed() + kept('requests', requests.most) > requests.most) return requests.stop;
      return unit.prompts && prompts + kept('prompts', turns.most) > turns.most ? turns.stop : undefined;
    },
    /** Requests that the clean-up may still send. */
    left: (all: number) => requests.most - all,
    /** Prompts that were taken, or may have been. */
    get prompts() {
      return prompts;
    },
  };
}
