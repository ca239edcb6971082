import { useEffect, useState } from 'preact/hooks';
import { createLatest } from '../latest.js';
import type { Entry, Write } from '../types.js';
import { useServices } from './context.js';

/** One entry of the journal, with the writes of its stream as they leave. */
export function useEntry(id: string): { entry: Entry | undefined; problem: string } {
  const { model } = useServices();
  const [entry, setEntry] = useState<Entry | undefined>(undefined);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    const begin = createLatest();
    let current: Entry | undefined;
    let reading = false;
    /** The last write that was reported while the entry was read. */
    let heard = -1;
    const show = (next: Entry) => {
      current = next;
      setEntry(next);
      setProblem('');
    };
    const read = () => {
      const isLatest = begin();
      reading = true;
      heard = -1;
      model.api
        .control<Entry>('GET', `journal/${encodeURIComponent(id)}`)
        .then(
          (next) => isLatest() && show(next),
          (error: Error) => isLatest() && setProblem(error.message),
        )
        .then(() => {
          if (!isLatest()) return;
          reading = false;
          // Reported before the answer came, and written after it.
          if (current && heard >= (current.writes ?? []).length) read();
        });
    };
    const write = (n: number, added: Write) => {
      if (reading) heard = Math.max(heard, n);
      if (reading || !current) return;
      const writes = current.writes ?? [];
      if (n < writes.length) return;
      if (n > writes.length) return read();
      show({ ...current, writes: [...writes, added] });
    };
    read();
    const stop = model.listen((happenings) => {
      for (const happening of happenings) {
        if (happening.kind === 'reload') read();
        else if (happening.kind === 'entry' && happening.entry.id === id) {
          show(happening.entry);
          // The answer in progress may be older than this.
          if (reading) read();
        } else if (happening.kind === 'write' && happening.requestId === id) write(happening.n, happening.write);
      }
    });
    return () => {
      begin();
      stop();
    };
  }, [id]);
  return { entry, problem };
}
