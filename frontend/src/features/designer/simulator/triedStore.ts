/** Settings of time that are tried in the simulator and not in the query: one set for the page, so that scenarios have them. */

import { useEffect, useSyncExternalStore } from "react";
import type { AdvanceTimeSettings } from "../../../model/api";

export type AdvanceByInput = Readonly<Record<string, AdvanceTimeSettings>>;

const NONE: AdvanceByInput = {};
let tried: AdvanceByInput = NONE;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Replaces all that is tried. */
export function tryAll(advance: AdvanceByInput): void {
  tried = advance;
  for (const listener of listeners) listener();
}

/** Tries settings of one input beside what is tried already. */
export function tryOne(input: string, settings: AdvanceTimeSettings): void {
  tryAll({ ...tried, [input]: settings });
}

/** Tries these inputs no more. */
export function tryNoMore(inputs: readonly string[]): void {
  tryAll(Object.fromEntries(Object.entries(tried).filter(([input]) => !inputs.includes(input))));
}

/** What is tried now, by input. */
export function useTried(): AdvanceByInput {
  return useSyncExternalStore(subscribe, () => tried);
}

/** Nothing is tried any more when the page is left. */
export function useTriedOnThisPage(): void {
  useEffect(() => () => tryAll(NONE), []);
}
