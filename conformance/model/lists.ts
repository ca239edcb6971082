import type { Asked, Exchange } from './exchange.js';
import { GOES, type InternFacts, isListedBy, type RecordFields, type Who } from './intern.js';
import { LATE, MOST, type ModelOptions, Recent } from './options.js';

/** A read this soon after a create, in ms, shows whether reads are late. */
const SOON = 1_000;
/** After this many early reads that showed the new intern, reads count as never late. */
const PROMPT = 10;

/** The lateness of reads and lists, by what they showed. */
export function createLateness({ ours }: Pick<ModelOptions, 'ours'>, { isVisible }: Pick<Who, 'isVisible'>) {
  /** Counts reads and lists that showed a new intern soon, and those that lacked one. */
  const soon = { get: { prompt: 0, late: 0 }, list: { prompt: 0, late: 0 } };
  return {
    /** ms for which a read may lack a new intern. */
    of: (read: keyof typeof soon): number =>
      ours === true || (soon[read].prompt >= PROMPT && soon[read].late === 0) ? 0 : LATE,
    /** A read that should show an intern is answered. `there`: whether it showed the intern. */
    comes(read: keyof typeof soon, facts: InternFacts, asked: Asked, there: boolean) {
      const after = asked.at - (facts.made?.at ?? asked.at);
      if (after <= 0 || after > LATE || isVisible(asked, facts) !== true || !isOfWorkspace(asked, facts)) return;
      const phases = facts.phase.since(asked.at);
      if (phases === undefined || GOES.some((phase) => phases.has(phase))) return;
      if (!there) soon[read].late += 1;
      else if (after <= SOON) soon[read].prompt += 1;
    },
  };
}
type Lateness = ReturnType<typeof createLateness>;

/** The pages of a list before a cursor. */
export interface Pages {
  /** Time of the request for the first page. */
  readonly since: number;
  readonly ids: readonly string[];
  readonly numbers: readonly number[];
}

/** The known parameters of a list. Any other parameter may filter it in an unknown way. */
export const LIST_PARAMETERS: ReadonlySet<string> = new Set(['workspace_id', 'status', 'limit', 'starting_after']);

/** Whether a list may show the interns of a workspace: it names no workspace, or that one. */
export const isOfWorkspace = ({ query }: Asked, { workspace }: Pick<InternFacts, 'workspace'>): boolean =>
  query.getAll('workspace_id').every((named) => named.toLowerCase() === workspace?.toLowerCase());

/** Lists of interns, page by page. `present` are the interns that may still exist. */
export function createLists(
  { isVisible }: Pick<Who, 'isVisible'>,
  lateness: Lateness,
  present: ReadonlySet<InternFacts>,
) {
  const pages = new Recent<string, Pages>(MOST);
  /** A list and a cursor in it. Lists with other filters, or of other callers, may give the same cursor. */
  const placeOf = ({ caller, query }: Asked, cursor: string | null): string =>
    JSON.stringify([cursor, caller, query.getAll('workspace_id'), query.getAll('status')]);
  /** The pages before the cursor of a request, if its own list gave that cursor. */
  const pagesBefore = (asked: Asked): Pages | undefined => pages.get(placeOf(asked, asked.query.get('starting_after')));
  /** Whether a whole list must have an intern. `from` is the time of the request for its first page. */
  const mustBeListed = (facts: InternFacts, asked: Asked, from: number): boolean => {
    // A list by status may lag behind even where a list of all does not.
    const late = asked.query.has('status') ? LATE : lateness.of('list');
    if (facts.made === undefined || from < facts.made.at + late || isVisible(asked, facts) !== true) return false;
    if (!isOfWorkspace(asked, facts)) return false;
    const statuses = asked.query.getAll('status').flatMap((text) => text.split(','));
    const phases = facts.phase.since(from - late);
    return phases !== undefined && isListedBy(phases, asked.query.has('status') ? statuses : undefined);
  };
  return {
    pagesBefore,
    /** A page is answered, and the model has learned from its records. Interns that the whole list lacks are lost. */
    sees({ asked, answered }: Exchange, { has_more, next_cursor }: RecordFields, rows: readonly RecordFields[]) {
      const before = pagesBefore(asked);
      const since = before?.since ?? asked.at;
      const ids = [...(before?.ids ?? []), ...rows.map(({ id }) => String(id))];
      const known = [...asked.query.keys()].every((key) => LIST_PARAMETERS.has(key));
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
        pages.set(placeOf(asked, next_cursor), { since, ids, numbers: [...(before?.numbers ?? []), asked.number] });
    },
    restart: () => pages.clear(),
  };
}
