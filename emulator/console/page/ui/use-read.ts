import { useEffect, useState } from 'preact/hooks';
import type { Happening } from '../model.js';
import { useServices } from './context.js';
import { useLatest } from './use-latest.js';

interface ReadOptions {
  /** Whether an event of the emulator changes the value. Without this, only the keys do. */
  changedBy?: (happening: Happening) => boolean;
  /** Tells the user of a failed read, and keeps what was read before. */
  tells?: boolean;
}

/**
 * Something that a view reads, anew when one of the `keys` changes. Only the answer to the last read is shown. A failed
 * read leaves no value, and says why in `problem`.
 */
export function useRead<T>(
  read: () => Promise<T>,
  keys: readonly unknown[],
  { changedBy, tells = false }: ReadOptions = {},
) {
  const { model } = useServices();
  const [shown, setShown] = useState<{ value: T | undefined; problem: string }>({ value: undefined, problem: '' });
  const begin = useLatest();
  /** Reads the value again, or by a call that changes it and answers the new one. */
  const again = async (by: () => Promise<T> = read): Promise<void> => {
    const isLatest = begin();
    const work = async () => {
      const value = await by();
      if (isLatest()) setShown({ value, problem: '' });
    };
    if (tells) await model.attempt(work);
    else await work().catch((error: Error) => isLatest() && setShown({ value: undefined, problem: error.message }));
  };
  useEffect(() => {
    void again();
    const stop =
      changedBy &&
      model.listen((happenings) => {
        if (happenings.some((one) => one.kind === 'reload' || changedBy(one))) void again();
      });
    return () => {
      stop?.();
      begin();
    };
  }, keys);
  return { ...shown, again };
}
