import { useEffect, useRef, useState } from 'preact/hooks';
import { createGrowing } from '../growing.js';
import type { Line, Run } from '../types.js';
import { useServices } from './context.js';

/** How many lines of one run are kept. A run may talk for days: its beginning is dropped, as in the emulator. */
const MOST = 4_000;

/** The lines of some runs, kept up to date while they go on. A missing run is being read. */
export function useTranscripts(runs: readonly Run[]): ReadonlyMap<string, readonly Line[]> {
  const { model } = useServices();
  const [shown, setShown] = useState<ReadonlyMap<string, readonly Line[]>>(new Map());
  const followed = useRef(new Map<string, ReturnType<typeof createGrowing<readonly Line[], Line>>>());
  const follow = (id: string) =>
    createGrowing<readonly Line[], Line>({
      read: () =>
        model.api.control<{ transcript: Line[] | null }>('GET', `runs/${id}`).then(
          ({ transcript }) => transcript ?? [],
          // A deleted run has nothing to show.
          () => [],
        ),
      next: (lines) => (lines.at(-1)?.n ?? -1) + 1,
      grow: (lines, line) => [...(lines.length < MOST ? lines : lines.slice(MOST / 2)), line],
      show: (lines) => setShown((before) => new Map(before).set(id, lines)),
    });
  useEffect(
    () =>
      model.listen((happenings) => {
        for (const one of happenings)
          if (one.kind === 'reload') for (const each of followed.current.values()) each.load();
          else if (one.kind === 'said') followed.current.get(one.runId)?.add(one.line.n, one.line);
      }),
    [],
  );
  const ids = runs.map((run) => run.id);
  useEffect(() => {
    for (const [id, each] of followed.current) {
      if (ids.includes(id)) continue;
      each.end();
      followed.current.delete(id);
    }
    setShown((before) => new Map([...before].filter(([id]) => ids.includes(id))));
    for (const id of ids) {
      if (followed.current.has(id)) continue;
      const each = follow(id);
      followed.current.set(id, each);
      each.load();
    }
  }, [ids.join()]);
  return shown;
}
