/** Small choices of a reader that this browser remembers; where storage is refused they last as long as the page. */

export function kept(name: string): string | null {
  try {
    return localStorage.getItem(`punctual-${name}`);
  } catch {
    return null;
  }
}

export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(`punctual-${name}`, value);
  } catch {
    // It lasts as long as the page.
  }
}
