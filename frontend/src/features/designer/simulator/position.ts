/** How many rows of the sample have arrived. Apart from the rest, so that scrubbing draws only what it changes. */

import { createContext, useContext, useSyncExternalStore } from "react";

export interface PositionStore {
  get: () => number;
  /** What lies outside of the sample is brought to its ends. */
  set: (position: number) => void;
  last: () => number;
  /** The sample has another length now; whoever stood at its end still does. */
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

/** What of the position a part needs; it is drawn again only when that changes. */
export function useAtPosition<T extends string | number | boolean>(of: (position: number) => T): T {
  const store = useContext(PositionContext);
  return useSyncExternalStore(store.subscribe, () => of(store.get()));
}
