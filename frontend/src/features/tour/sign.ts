import { useSyncExternalStore } from "react";

const WATCHED: MutationObserverInit = { subtree: true, childList: true, attributes: true };

function subscribe(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.body, WATCHED);
  return () => observer.disconnect();
}

/** Whether the page has what `selector` finds; the browser tells when the page changes. */
export function useSign(selector: string | undefined): boolean {
  return useSyncExternalStore(subscribe, () => selector !== undefined && document.querySelector(selector) !== null);
}
