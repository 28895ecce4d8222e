import { useEffect } from "react";
import { isTyped } from "../../lib/browser/pageKeys";

/** The actions of keys: `/` goes to the filter, `j` and `k` to the next and previous query. */
const ACTIONS: Readonly<Record<string, () => void>> = {
  "/": () => document.querySelector<HTMLInputElement>("#home-filter")?.focus(),
  j: () => step(1),
  k: () => step(-1),
};

function step(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  rows[Math.min(rows.length - 1, Math.max(0, at + by))]?.focus();
}

/** Let keys move between the rows of the page. */
export function useRowKeys(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const act = isTyped(event) ? undefined : ACTIONS[event.key];
      if (act === undefined) return;
      act();
      event.preventDefault();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}
