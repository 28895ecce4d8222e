import { createContext, type ReactNode, useContext, useState } from "react";
import type { Ticks } from "../../../model/time/ticks";

const Crosshair = createContext<Ticks | null>(null);
const MoveCrosshair = createContext<(at: Ticks | null) => void>(() => undefined);

/** One crosshair for all charts inside. */
export function CrosshairScope({ children }: { children: ReactNode }) {
  const [at, move] = useState<Ticks | null>(null);
  return (
    <MoveCrosshair value={move}>
      <Crosshair value={at}>{children}</Crosshair>
    </MoveCrosshair>
  );
}

/** The time of the crosshair; null: it is not shown. */
export function useCrosshair(): Ticks | null {
  return useContext(Crosshair);
}

export function useMoveCrosshair(): (at: Ticks | null) => void {
  return useContext(MoveCrosshair);
}
