/** The open panel of the dock, which other parts of the page can change. */

import { useSyncExternalStore } from "react";

export type DockTab =
  | "preview"
  | "simulator"
  | "problems"
  | "scenarios"
  | "versions"
  | "explanation"
  | "help"
  | "details";

const listeners = new Set<() => void>();
let open: DockTab = "preview";

/** Open a panel of the dock. */
export function showDockTab(tab: DockTab): void {
  open = tab;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useDockTab(): DockTab {
  return useSyncExternalStore(subscribe, () => open);
}

/** Return the panel that a page opens with: the simulator, if its address asks for a sample or is a link to a simulation. */
export function firstDockTab(): DockTab {
  const { search, hash } = window.location;
  const asked = new URLSearchParams(search);
  const isSimulation = hash.startsWith("#simulation=") || asked.has("quarantine") || asked.has("example");
  return isSimulation ? "simulator" : "preview";
}
