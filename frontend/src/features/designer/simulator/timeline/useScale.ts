import { useMemo, useRef, useState } from "react";
import { type TimeScale, wholeExtent } from "../../../../model/simulation/drawing/scale";
import type { Simulation } from "../../../../model/simulation/types";

/**
 * The time axis: the whole simulation until the user zooms or moves it, then the user's range. While rows are edited the
 * whole range may grow but never shrinks, so that nothing moves under the pointer.
 */
export function useScale(simulation: Simulation, width: number) {
  const [chosen, setChosen] = useState<{ from: number; to: number } | null>(null);
  const whole = useRef<{ from: number; to: number } | null>(null);
  const now = useMemo(() => wholeExtent(simulation), [simulation]);
  const before = whole.current;
  const near = before !== null && now.from < before.to && now.to > before.from;
  const length = now.to - now.from;
  const grown =
    near && before.to - before.from < 2 * length
      ? { from: Math.min(now.from, before.from), to: Math.max(now.to, before.to) }
      : now;
  whole.current = grown;
  const { from, to } = chosen ?? grown;
  const scale = useMemo((): TimeScale => ({ from, to, width: Math.max(width, 1) }), [from, to, width]);
  return {
    scale,
    setScale: (change: (scale: TimeScale) => TimeScale) => setChosen(change(scale)),
    fit: () => {
      whole.current = null;
      setChosen(null);
    },
    fitted: chosen === null,
  };
}
