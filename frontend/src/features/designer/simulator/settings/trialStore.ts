/** Time settings on trial in the simulator, not in the query. One set for the page, so that scenarios can use them. */

import { useEffect, useSyncExternalStore } from "react";
import type { AdvanceTimeSettings } from "../../../../model/api";

export type AdvanceByInput = Readonly<Record<string, AdvanceTimeSettings>>;

const NONE: AdvanceByInput = {};
let tried: AdvanceByInput = NONE;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Replace all settings on trial. */
export function tryAll(advance: AdvanceByInput): void {
  tried = advance;
  for (const listener of listeners) listener();
}

/** Try settings of one input, in addition to others on trial. */
export function tryOne(input: string, settings: AdvanceTimeSettings): void {
  tryAll({ ...tried, [input]: settings });
}

/** Discard the settings on trial of these inputs. */
export function discardTrial(inputs: readonly string[]): void {
  tryAll(Object.fromEntries(Object.entries(tried).filter(([input]) => !inputs.includes(input))));
}

/** Return the settings on trial, by input. */
export function useTrialSettings(): AdvanceByInput {
  return useSyncExternalStore(subscribe, () => tried);
}

/** Discard all settings on trial when the user leaves the page. */
export function useTrialOnThisPage(): void {
  useEffect(() => () => tryAll(NONE), []);
}
