import { useEffect, useRef, useState } from 'preact/hooks';
import type { Happening } from '../model.js';
import type { Line, Run } from '../types.js';
import { useServices } from './context.js';

/** How many lines of one run are kept. */
const MOST = 4_000;

/** The lines of some runs, kept up to date while they go on. A missing run is being read. */
export function useTranscripts(runs: readonly Run[]): ReadonlyMap<string, readonly Line[]> {
  const { model } = useServices();
  const [shown, setShown] = useState<ReadonlyMap<string, readonly Line[]>>(new Map());
  const wanted = useRef(new Set<string>());
  /** The runs that are being read, with the last line that was reported meanwhile. */
  const reading = useRef(new Map<string, number>());
  const lines = useRef(new Map<string, Line[]>());

  const show = () => setShown(new Map([...lines.current].map(([id, list]) => [id, list.slice()])));
  const read = (id: string) => {
    if (reading.current.has(id)) return;
    reading.current.set(id, -1);
    model.api
      .control<{ transcript: Line[] | null }>('GET', `runs/${id}`)
      .then(
        ({ transcript }) => transcript ?? [],
        // A deleted run has nothing to show.
        (): Line[] => [],
      )
      .then((said) => {
        const heard = reading.current.get(id) ?? -1;
        reading.current.delete(id);
        // Its lines are no longer reported: it is read again on demand.
        if (!wanted.current.has(id)) return;
        lines.current.set(id, said);
        show();
        // Reported before the answer came, and made after it.
        if (heard > (said.at(-1)?.n ?? -1)) read(id);
      });
  };
  /** A read in progress may be older: then it is repeated. */
  const readAnew = (id: string) => {
    if (reading.current.has(id)) reading.current.set(id, Number.POSITIVE_INFINITY);
    else read(id);
  };
  /** True if the line is new; missing lines before it are read again. */
  const add = (id: string, line: Line): boolean => {
    if (reading.current.has(id)) {
      reading.current.set(id, Math.max(line.n, reading.current.get(id) ?? -1));
      return false;
    }
    const known = lines.current.get(id) ?? [];
    const next = (known.at(-1)?.n ?? -1) + 1;
    if (line.n < next) return false;
    if (line.n > next) {
      read(id);
      return false;
    }
    known.push(line);
    // A run may talk for days: its beginning is dropped, as in the emulator.
    lines.current.set(id, known.length > MOST ? known.slice(MOST / 2) : known);
    return true;
  };

  useEffect(() => {
    const hear = (happenings: readonly Happening[]) => {
      let changed = false;
      for (const happening of happenings) {
        if (happening.kind === 'reload') {
          lines.current.clear();
          for (const id of wanted.current) readAnew(id);
        } else if (happening.kind === 'said' && wanted.current.has(happening.runId))
          changed = add(happening.runId, happening.line) || changed;
      }
      if (changed) show();
    };
    return model.listen(hear);
  }, []);

  const ids = runs.map((run) => run.id);
  useEffect(() => {
    const before = wanted.current;
    wanted.current = new Set(ids);
    for (const id of [...lines.current.keys()]) if (!wanted.current.has(id)) lines.current.delete(id);
    for (const id of ids) if (!before.has(id)) readAnew(id);
  }, [ids.join()]);
  return shown;
}
