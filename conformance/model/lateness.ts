import type { Asked } from './exchange.js';
import { GOES, type InternFacts } from './intern.js';
import { LATE, type ModelOptions } from './options.js';
import type { Who } from './who.js';

/** ms after a create in which a read shows whether reads are late, and such reads after which none is expected to be. */
const SOON = 1_000;
const PROMPT = 10;

/** How late reads and lists were seen to be. */
export function createLateness({ ours }: Pick<ModelOptions, 'ours'>, { isVisible }: Pick<Who, 'isVisible'>) {
  /** Reads and lists that came soon after a create and showed it; any that did not. */
  const soon = { get: { prompt: 0, late: 0 }, list: { prompt: 0, late: 0 } };
  return {
    /** ms that a read may lack what was made: none, where many came soon and none was ever late. */
    of: (read: keyof typeof soon): number =>
      ours === true || (soon[read].prompt >= PROMPT && soon[read].late === 0) ? 0 : LATE,
    /** A read came that should show an intern, and did or did not. */
    comes(read: keyof typeof soon, facts: InternFacts, asked: Asked, there: boolean) {
      const after = asked.at - (facts.made?.at ?? asked.at);
      if (after <= 0 || after > LATE || isVisible(asked, facts) !== true) return;
      const phases = facts.phase.since(asked.at);
      if (phases === undefined || GOES.some((phase) => phases.has(phase))) return;
      if (!there) soon[read].late += 1;
      else if (after <= SOON) soon[read].prompt += 1;
    },
  };
}
export type Lateness = ReturnType<typeof createLateness>;
