import { useSyncExternalStore } from "react";

const WATCHED: MutationObserverInit = { subtree: true, childList: true, attributes: true };

function subscribe(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.body, WATCHED);
  return () => observer.disconnect();
}

/** Return whether the page contains an element for `selector`; updated when the page changes. */
export function useSign(selector: string | undefined): boolean {
  return useSyncExternalStore(subscribe, () => selector !== undefined && document.querySelector(selector) !== null);
}
