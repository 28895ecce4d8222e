/** The sample of the open query. One for the page, so that scenarios and templates can open theirs in the simulator. */

import { useSyncExternalStore } from "react";
import {
  begun,
  changed,
  type EndMode,
  type History,
  redone,
  type Sample,
  type SampleRow,
  sampleOf,
  undone,
} from "../../../../model/simulation/sample/sample";
import { showDockTab } from "../../page/dockTab";

type Listener = () => void;

let history: History<Sample> | null = null;
const listeners = new Set<Listener>();

function say(next: History<Sample> | null): void {
  history = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Open `sample` on a page with a simulator, with an empty undo history. */
export function beginSample(sample: Sample): void {
  say(begun(sample));
}

/** Close the sample when the user leaves the page. */
export function endSample(): void {
  say(null);
}

export function editSample(edit: (sample: Sample) => Sample): void {
  if (history !== null) say(changed(history, edit(history.now)));
}

/** Replace the simulator's rows, as one undo step, and show it. */
export function openSample(rows: readonly SampleRow[], from: string, end: EndMode = "flush"): void {
  editSample(() => sampleOf(rows, from, end));
  showDockTab("simulator");
  document.getElementById("simulator")?.scrollIntoView({ block: "start" });
}

export function undoSample(): void {
  if (history !== null) say(undone(history));
}

export function redoSample(): void {
  if (history !== null) say(redone(history));
}

export function useSampleHistory(): History<Sample> | null {
  return useSyncExternalStore(subscribe, () => history);
}

/** Return the simulator's sample; null on a page without one. */
export function useSampleNow(): Sample | null {
  return useSampleHistory()?.now ?? null;
}
