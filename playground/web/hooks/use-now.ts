import { useEffect, useState } from 'react';

/** Milliseconds between two looks at the clock: often enough for bars to be seen to grow. */
const INTERVAL = 100;

/** The clock of `performance.now()`, which stands still while nothing runs. */
export function useNow({ isRunning }: { isRunning: boolean }): number {
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setNow(performance.now()), INTERVAL);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}
