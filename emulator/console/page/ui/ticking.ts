import { useEffect, useState } from 'preact/hooks';
import { useServices } from './context.js';

/** The emulator's time in ms, moving on each second if its clock runs. */
export function useNow(): number {
  const { model } = useServices();
  const [, tick] = useState(0);
  const running = model.clock.value?.mode === 'real';
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => tick((count) => count + 1), 1_000);
    return () => clearInterval(timer);
  }, [running]);
  return model.now();
}
