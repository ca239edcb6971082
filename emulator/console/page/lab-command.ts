export interface LabCase {
  id: string;
  layer: string;
  class: string;
  title: string;
  needs: string[];
}

/** The beginning of a case id: `sse`, `http`, `chat`, …. */
export const groupOf = ({ id }: Pick<LabCase, 'id'>): string => id.slice(0, id.indexOf('-'));

export interface LabFilter {
  group: string;
  /** An ability, `none` for cases that need none, or empty for all. */
  ability: string;
  /** Words that id or title hold, all of them. */
  search: string;
}

export const matching = (cases: readonly LabCase[], { ability, group, search }: LabFilter): LabCase[] => {
  const words = search.toLowerCase().split(/\s+/);
  return cases.filter(
    (one) =>
      (group === '' || groupOf(one) === group) &&
      (ability === '' || (ability === 'none' ? one.needs.length === 0 : one.needs.includes(ability))) &&
      words.every((word) => one.id.includes(word) || one.title.toLowerCase().includes(word)),
  );
};

/** Patterns of `--only` that select these cases and no others: a whole group is one, and all are none. */
export function patternsOf(chosen: ReadonlySet<string>, all: readonly LabCase[]): string[] {
  if (all.every(({ id }) => chosen.has(id))) return [];
  const groups = [...new Set(all.map(groupOf))];
  return groups.flatMap((group) => {
    const ids = all.filter((one) => groupOf(one) === group).map(({ id }) => id);
    const mine = ids.filter((id) => chosen.has(id));
    return mine.length === ids.length && mine.length > 1 ? [`'${group}-*'`] : mine;
  });
}

export interface LabCommand {
  cases: readonly string[];
  cuts: string;
  /** The control interface that the verdicts are sent to. */
  show: string;
  /** The adapter's command, as it is typed in a shell. */
  adapter: string;
}

/** The line that runs an adapter, and shows its verdicts on this page. */
export const commandLine = ({ adapter, cases, cuts, show }: LabCommand): string =>
  [
    'npx intern-conformance client',
    ...cases.map((id) => `--only ${id}`),
    ...(cuts === 'few' ? [] : [`--cuts ${cuts}`]),
    `--show ${show}`,
    `-- ${adapter.trim() === '' ? 'COMMAND' : adapter.trim()}`,
  ].join(' ');
