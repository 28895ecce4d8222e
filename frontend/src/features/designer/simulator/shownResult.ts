/** A result that another part of the page asks the simulator to explain. */

import { useEffect, useSyncExternalStore } from "react";
import type { TrackRow } from "../../../model/simulation/types";
import { showDockTab } from "../page/dockTab";
import type { Selected, SimulatorView } from "./view";

const listeners = new Set<() => void>();
let asked: TrackRow | null = null;

function say(next: TrackRow | null): void {
  asked = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Open the simulator with the explanation of a result. */
export function explainResult(row: TrackRow): void {
  say(row);
  showDockTab("simulator");
}

const wordsOf = ({ node, start, end, payload }: TrackRow) => JSON.stringify([node, start, end, payload]);

/** Select the requested result once the simulation has it. */
export function useShownResult(view: SimulatorView | null, select: (selected: Selected) => void): void {
  const wanted = useSyncExternalStore(subscribe, () => asked);
  useEffect(() => {
    if (wanted === null || view === null) return;
    const words = wordsOf(wanted);
    const rows = view.simulation.tracks.flatMap((track) => (track.node === wanted.node ? track.rows : []));
    const found =
      rows.find((row) => row.id === wanted.id && wordsOf(row) === words) ?? rows.find((row) => wordsOf(row) === words);
    if (found === undefined) return;
    say(null);
    select({ kind: "result", id: found.id });
  }, [wanted, view, select]);
}
