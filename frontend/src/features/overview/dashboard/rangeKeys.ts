import { useEffect } from "react";
import { isTyped } from "../../../lib/browser/pageKeys";
import type { DashboardResponse } from "../../../model/api";
import { type PageRange, shifted, steppedFrom, zoomed } from "../../../model/live/ranges";
import { useCrosshair, useMoveCrosshair } from "./crosshair";

/** Let `[` and `]` move the range, and `+` and `-` zoom it. */
export function useRangeKeys(shown: DashboardResponse, range: PageRange, onRange: (range: PageRange) => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const actions: Readonly<Record<string, () => PageRange>> = {
        "[": () => shifted(range, -1, shown.now),
        "]": () => shifted(range, 1, shown.now),
        "+": () => zoomed(range, 0.5, shown.now),
        "-": () => zoomed(range, 2, shown.now),
      };
      const act = isTyped(event) ? undefined : actions[event.key];
      if (act === undefined) return;
      event.preventDefault();
      onRange(act());
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [shown.now, range, onRange]);
}

/** Let the arrow keys move the crosshair by one step of the charts; Escape removes it. */
export function useCrosshairKeys({ begin, end, step }: Pick<DashboardResponse, "begin" | "end" | "step">): void {
  const at = useCrosshair();
  const move = useMoveCrosshair();
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isTyped(event)) return;
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (by !== undefined) move(steppedFrom(at, by, { begin, end, step }));
      else if (event.key === "Escape") move(null);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [at, begin, end, step, move]);
}
