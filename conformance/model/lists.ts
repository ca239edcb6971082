import type { Asked, Exchange } from './exchange.js';
import { GOES, type InternFacts, isListedBy, type RecordFields, type Who } from './intern.js';
import { LATE, MOST, type ModelOptions, Recent } from './options.js';

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
type Lateness = ReturnType<typeof createLateness>;

/** The pages of a list that came before a cursor. */
export interface Pages {
  /** When the first was asked for. */
  readonly since: number;
  readonly ids: readonly string[];
  readonly numbers: readonly number[];
}

/** The parameters of a list: others filter it in ways that nobody knows. */
const WHOLE: ReadonlySet<string> = new Set(['workspace_id', 'status', 'limit', 'starting_after']);

/** Lists of interns, page by page. `present` are the interns that may be there. */
export function createLists(
  { isVisible }: Pick<Who, 'isVisible'>,
  lateness: Lateness,
  present: ReadonlySet<InternFacts>,
) {
  const pages = new Recent<string, Pages>(MOST);
  /** Whether a whole list, whose first page was asked for at that time, has an intern: lists may be late. */
  const mustBeListed = (facts: InternFacts, asked: Asked, from: number): boolean => {
    // A status may be listed later than what was made.
    const late = asked.query.has('status') ? LATE : lateness.of('list');
    if (facts.made === undefined || from < facts.made.at + late || isVisible(asked, facts) !== true) return false;
    const statuses = asked.query.getAll('status').flatMap((text) => text.split(','));
    const phases = facts.phase.since(from - late);
    return phases !== undefined && isListedBy(phases, asked.query.has('status') ? statuses : undefined);
  };
  return {
    pages: pages as ReadonlyMap<string, Pages>,
    /** A page came, whose records were shown: interns that the whole list lacks are lost. */
    sees({ asked, answered }: Exchange, { has_more, next_cursor }: RecordFields, rows: readonly RecordFields[]) {
      const before = pages.get(asked.query.get('starting_after') ?? '');
      const since = before?.since ?? asked.at;
      const ids = [...(before?.ids ?? []), ...rows.map(({ id }) => String(id))];
      const known = [...asked.query.keys()].every((key) => WHOLE.has(key));
      const isFirstKnown = before !== undefined || !asked.query.has('starting_after');
      if (has_more === false && known && isFirstKnown) {
        const listed = new Set(ids);
        const isOfSome = asked.query.has('status');
        if (before === undefined && !isOfSome)
          for (const facts of present) lateness.comes('list', facts, asked, listed.has(facts.id));
        for (const facts of present)
          if (!listed.has(facts.id) && mustBeListed(facts, asked, since))
            facts.lost ??= {
              number: asked.number,
              at: answered?.at ?? asked.at,
              by: isOfSome ? 'list by status' : 'list',
              stuck: facts.phase.since(asked.at)?.has('stuck') === true,
            };
      }
      if (typeof next_cursor === 'string')
        pages.set(next_cursor, { since, ids, numbers: [...(before?.numbers ?? []), asked.number] });
    },
    restart: () => pages.clear(),
  };
}
