/** The open panel of the dock, which other parts of the page can change. */

import { useSyncExternalStore } from "react";

export type DockTab = "simulator" | "problems" | "scenarios" | "versions" | "explanation" | "help" | "details";

const listeners = new Set<() => void>();
let open: DockTab = "simulator";

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
