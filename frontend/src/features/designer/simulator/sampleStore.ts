/** The sample of the query that is open: one for the page, so that scenarios and templates open theirs in the simulator. */

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
} from "../../../model/simulation/sample";

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

/** A page with a simulator begins with `sample`, and with no edits that could be undone. */
export function beginSample(sample: Sample): void {
  say(begun(sample));
}

/** The page is left: nothing is open any more. */
export function endSample(): void {
  say(null);
}

export function editSample(edit: (sample: Sample) => Sample): void {
  if (history !== null) say(changed(history, edit(history.now)));
}

/** Shows these rows in the simulator, instead of those that are there: one step that can be undone. */
export function openSample(rows: readonly SampleRow[], from: string, end: EndMode = "flush"): void {
  editSample(() => sampleOf(rows, from, end));
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

/** The sample that the simulator shows; null on a page without one. */
export function useSampleNow(): Sample | null {
  return useSampleHistory()?.now ?? null;
}
