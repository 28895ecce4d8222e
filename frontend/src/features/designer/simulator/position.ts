/** The number of arrived rows. A separate store, so that scrubbing renders only what depends on it. */

import { createContext, useContext, useSyncExternalStore } from "react";

export interface PositionStore {
  get: () => number;
  /** Values outside the sample are clamped. */
  set: (position: number) => void;
  last: () => number;
  /** Set the sample's new length; a position at the end stays at the end. */
  resize: (last: number) => void;
  subscribe: (listener: () => void) => () => void;
}

export function positionStore(last: number): PositionStore {
  let most = last;
  let now = last;
  const listeners = new Set<() => void>();
  const say = (next: number) => {
    if (next === now) return;
    now = next;
    for (const listener of listeners) listener();
  };
  return {
    get: () => now,
    set: (position) => say(Math.max(0, Math.min(Math.round(position), most))),
    last: () => most,
    resize: (length) => {
      const atEnd = now === most;
      most = length;
      say(atEnd ? length : Math.min(now, length));
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export const PositionContext = createContext<PositionStore>(positionStore(0));

export function usePositionStore(): PositionStore {
  return useContext(PositionContext);
}

export function usePosition(): number {
  const store = useContext(PositionContext);
  return useSyncExternalStore(store.subscribe, store.get);
}

/** Select from the position; the component renders again only when the selected value changes. */
export function useAtPosition<T extends string | number | boolean>(of: (position: number) => T): T {
  const store = useContext(PositionContext);
  return useSyncExternalStore(store.subscribe, () => of(store.get()));
}
