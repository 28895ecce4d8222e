/** How far a person has come on the guided tour of an organisation; this browser remembers it. */

import { useMemo, useSyncExternalStore } from "react";
import { NOT_BEGUN, readTour, type TourState } from "../model/tour";
import { keep, kept } from "./kept";
import { useMe } from "./session";

const texts = new Map<string, string>(); // holds where storage is refused, too
const listeners = new Set<() => void>();
let opener: HTMLElement | null = null;
let asked = false;

function read(key: string): string | null {
  return texts.get(key) ?? kept(key);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function write(key: string, state: TourState): void {
  const text = JSON.stringify(state);
  texts.set(key, text);
  keep(key, text);
  for (const listener of listeners) listener();
}

/** Whether somebody has just asked for the tour, so that its card takes the focus: true once. */
export function tourWasAsked(): boolean {
  const was = asked;
  asked = false;
  return was;
}

export interface TourControl {
  state: TourState;
  change: (change: Partial<TourState>) => void;
  /** Shows the tour where it was left, and gives it the focus. */
  open: () => void;
  /** From its first step. */
  begin: () => void;
  /** Hides it until it is asked for, and gives the focus back. */
  leave: () => void;
}

/** The tour of the person who is signed in, in an organisation. */
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
