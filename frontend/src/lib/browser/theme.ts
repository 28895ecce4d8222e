/** Light or dark: the reader's choice, else the system's. */

import { useSyncExternalStore } from "react";

export type Theme = "light" | "dark";

const KEY = "punctual-theme";
const DARK = "(prefers-color-scheme: dark)";
const listeners = new Set<() => void>();

function system(): Theme {
  return window.matchMedia(DARK).matches ? "dark" : "light";
}

function current(): Theme {
  const chosen = document.documentElement.dataset.theme;
  return chosen === "light" || chosen === "dark" ? chosen : system();
}

function subscribe(listener: () => void): () => void {
  const media = window.matchMedia(DARK);
  listeners.add(listener);
  media.addEventListener("change", listener);
  return () => {
    listeners.delete(listener);
    media.removeEventListener("change", listener);
  };
}

/** Choose a theme; choosing the system's own follows the system again. */
export function chooseTheme(theme: Theme): void {
  const follows = theme === system();
  if (follows) delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    if (follows) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // Storage is refused: the choice lasts until the page is closed.
  }
  for (const listener of listeners) listener();
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, current);
}

/** The value of a colour token, as the charts need it. */
export function token(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
