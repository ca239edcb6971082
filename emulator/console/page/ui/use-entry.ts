import { useEffect, useState } from 'preact/hooks';
import { createGrowing } from '../growing.js';
import type { Entry, Write } from '../types.js';
import { useServices } from './context.js';

/** One entry of the journal, with the writes of its stream as they leave. */
export function useEntry(id: string): { entry: Entry | undefined; problem: string } {
  const { model } = useServices();
  const [shown, setShown] = useState<{ entry: Entry | undefined; problem: string }>({ entry: undefined, problem: '' });
  useEffect(() => {
    const growing = createGrowing<Entry, Write>({
      read: () => model.api.control('GET', `journal/${encodeURIComponent(id)}`),
      next: ({ writes = [] }) => writes.length,
      grow: (entry, write) => ({ ...entry, writes: [...(entry.writes ?? []), write] }),
      show: (entry) => setShown({ entry, problem: '' }),
      failed: ({ message: problem }) => setShown(({ entry }) => ({ entry, problem })),
    });
    growing.load();
    const stop = model.listen((happenings) => {
      for (const one of happenings)
        if (one.kind === 'reload') growing.load();
        else if (one.kind === 'entry' && one.entry.id === id) growing.replace(one.entry);
        else if (one.kind === 'write' && one.requestId === id) growing.add(one.n, one.write);
    });
    return () => {
      growing.end();
      stop();
    };
  }, [id]);
  return shown;
}
