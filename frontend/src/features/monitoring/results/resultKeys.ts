import { type PageKey, usePageKeys } from "../../../lib/browser/pageKeys";

/** Press the first button for a key: in the row that has the focus, else on the page. */
function press(key: string): void {
  const button = `[data-key="${key}"]`;
  const row = document.activeElement?.closest("tr");
  const found = row?.querySelector<HTMLElement>(button) ?? document.querySelector<HTMLElement>(button);
  found?.click();
}

/** Move to the first part of the page for a key. */
function goTo(key: string): void {
  const found = document.querySelector<HTMLElement>(`[data-key="${key}"]`);
  (found?.closest(".panel") ?? found)?.scrollIntoView({ block: "start" });
  found?.focus({ preventScroll: true });
}

const KEYS: readonly PageKey[] = [
  { key: "w", words: "explain the result that has the focus, or the newest one", act: () => press("w") },
  { key: "q", words: "go to the late and malformed rows", act: () => goTo("q") },
  { key: "e", words: "download the results", act: () => press("e") },
];

/** Handle the keys of the results of a run, and return them for their list. */
export function useResultKeys(): readonly PageKey[] {
  usePageKeys(KEYS);
  return KEYS;
}
