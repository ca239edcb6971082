import { useEffect, useState } from 'preact/hooks';
import type { Entry, Write } from '../types.js';
import { useServices } from './context.js';

/** One entry of the journal, with the writes of its stream as they leave. */
export function useEntry(id: string): { entry: Entry | undefined; problem: string } {
  const { model } = useServices();
  const [entry, setEntry] = useState<Entry | undefined>(undefined);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    let current: Entry | undefined;
    let reading = false;
    const show = (next: Entry) => {
      current = next;
      setEntry(next);
      setProblem('');
    };
    const read = () => {
      if (reading) return;
      reading = true;
      model.api
        .control<Entry>('GET', `journal/${encodeURIComponent(id)}`)
        .then(show, (error: Error) => setProblem(error.message))
        .then(() => {
          reading = false;
        });
    };
    const write = (n: number, added: Write) => {
      if (!current) return;
      const writes = current.writes ?? [];
      if (n < writes.length) return;
      if (n > writes.length) return read();
      show({ ...current, writes: [...writes, added] });
    };
    read();
    return model.listen((happenings) => {
      for (const happening of happenings) {
        if (happening.kind === 'entry' && happening.entry.id === id) show(happening.entry);
        else if (happening.kind === 'write' && happening.requestId === id) write(happening.n, happening.write);
      }
    });
  }, [id]);
  return { entry, problem };
}
