/** A person's progress on the guided tour of an organisation, stored in this browser. */

import { useMemo, useSyncExternalStore } from "react";
import { NOT_BEGUN, readTour, type TourState } from "../model/organisation/tour";
import { useMe } from "./account/session";
import { readPreference, storePreference } from "./browser/preferences";

const texts = new Map<string, string>(); // works without storage, too
const listeners = new Set<() => void>();
let opener: HTMLElement | null = null;
let asked = false;

function read(key: string): string | null {
  return texts.get(key) ?? readPreference(key);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function write(key: string, state: TourState): void {
  const text = JSON.stringify(state);
  texts.set(key, text);
  storePreference(key, text);
  for (const listener of listeners) listener();
}

/** Return whether the tour was just requested, so that its card takes the focus; true only once. */
export function tourWasAsked(): boolean {
  const was = asked;
  asked = false;
  return was;
}

export interface TourControl {
  state: TourState;
  change: (change: Partial<TourState>) => void;
  /** Show the tour at its last step, and focus it. */
  open: () => void;
  /** Restart at the first step. */
  begin: () => void;
  /** Hide the tour until it is requested, and return the focus. */
  leave: () => void;
}

/** The signed-in person's tour in an organisation. */
export function useTour(slug: string): TourControl {
  const person = useMe().data?.id ?? "";
  const key = `tour-${person}-${slug}`;
  const text = useSyncExternalStore(subscribe, () => read(key));
  return useMemo(() => {
    const state = readTour(text);
    const change = (changed: Partial<TourState>) => write(key, { ...readTour(read(key)), ...changed });
    const show = (changed: Partial<TourState>) => {
      opener = document.activeElement instanceof HTMLElement ? document.activeElement : null;
      asked = true;
      change({ ...changed, open: true });
    };
    const leave = () => {
      change({ open: false });
      const back = opener?.isConnected ? opener : document.querySelector<HTMLElement>("[data-tour-again]");
      back?.focus();
    };
    return { state, change, open: () => show({}), begin: () => show(NOT_BEGUN), leave };
  }, [text, key]);
}
