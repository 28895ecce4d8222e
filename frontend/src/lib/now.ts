import { useEffect, useState } from "react";
import type { Ticks } from "../model/time/ticks";

/** The wall clock in ticks, updated every `everyMs` while `running`. */
export function useNow(everyMs: number, running = true): Ticks {
  const [now, setNow] = useState(() => Date.now() * 1_000);
  useEffect(() => {
    if (!running) return undefined;
    const timer = setInterval(() => setNow(Date.now() * 1_000), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, running]);
  return now;
}
