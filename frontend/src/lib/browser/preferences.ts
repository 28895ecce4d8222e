/** The reader's small preferences, stored in this browser; without storage they last as long as the page. */

export function readPreference(name: string): string | null {
  try {
    return localStorage.getItem(`punctual-${name}`);
  } catch {
    return null;
  }
}

export function storePreference(name: string, value: string): void {
  try {
    localStorage.setItem(`punctual-${name}`, value);
  } catch {
    // It lasts as long as the page.
  }
}
