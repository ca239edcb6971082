import type { Intern } from '../../emulator/contract/intern.js';

/** What outlives a check: names given so far, and interns that can be handed out again. */
export interface Pool {
  count: number;
  unknown: number;
  shared: Intern | undefined;
  /** One that was made ahead and boots while others are looked at. */
  spare: Intern | undefined;
  /** Those that a check only read, or was refused to change. */
  unused: { stopped: Intern[]; running: Intern[] };
  /** How often each was handed out. */
  readonly uses: Map<string, number>;
  /** Those that the current check was handed, by what they were. */
  handed: { intern: Intern; as: 'stopped' | 'running' }[];
}

export const createPool = (): Pool => ({
  count: 0,
  unknown: 0,
  shared: undefined,
  spare: undefined,
  unused: { stopped: [], running: [] },
  uses: new Map(),
  handed: [],
});

/** Hands none of them out any more. */
export function forget(pool: Pool): void {
  pool.shared = undefined;
  pool.spare = undefined;
  pool.unused = { stopped: [], running: [] };
  pool.handed = [];
}

/** Ids of interns that the pool keeps for later checks. */
export const kept = (pool: Pool): Set<string> =>
  new Set(
    [pool.shared, pool.spare, ...pool.unused.stopped, ...pool.unused.running].flatMap((intern) => intern?.id ?? []),
  );

/** How often one intern is handed out: questions that nobody answered stay open on it. */
const MOST_USES = 12;

/** Takes back what a check was handed and left as it was. `left` says that nothing it began is still going on. */
export function takeBack(pool: Pool, touched: ReadonlySet<string>, left: boolean): void {
  for (const { intern, as } of pool.handed) {
    const uses = (pool.uses.get(intern.id) ?? 0) + 1;
    pool.uses.set(intern.id, uses);
    if (left && uses < MOST_USES && !touched.has(intern.id)) pool.unused[as].push(intern);
  }
  pool.handed = [];
}
