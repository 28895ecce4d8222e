/** What was typed and not saved, kept in this browser for the person, the organisation and the object it is about. */

import { useRef, useState } from "react";
import { useMe, useSlug } from "./session";

const PREFIX = "punctual draft ";
const KEPT_MS = 30 * 24 * 3_600_000;

interface Stored<T> {
  at: number;
  value: T;
}

function read<T>(key: string, now: number): Stored<T> | null {
  try {
    const found = JSON.parse(localStorage.getItem(key) ?? "null") as Stored<T> | null;
    return found !== null && now - found.at < KEPT_MS ? found : null;
  } catch {
    return null; // no storage here, or somebody wrote something else there
  }
}

function write(key: string, stored: Stored<unknown> | null): void {
  try {
    if (stored === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(stored));
  } catch {
    // The storage is full or forbidden: leaving still asks, as it does for everything that is not saved.
  }
}

export interface Drafted<T> {
  value: T;
  change: (value: T) => void;
  /** When what is shown was typed, in ms; null where nothing was restored. */
  restored: number | null;
  /** Whether something is typed that is not saved. */
  dirty: () => boolean;
  /** Forget what was typed, and go back to what is stored. */
  discard: () => void;
  /** It is saved, or given up: leaving asks no more. */
  done: () => void;
  /** It is saved, and what follows is begun upon `value`. */
  begin: (value: T) => void;
}

/**
 * A value that a form edits, begun as `initial`, which survives navigation, reload and the end of the session.
 * `keepable` takes secrets out of what is kept.
 */
export function useDrafted<T extends object>(
  object: string,
  initial: T,
  keepable: (value: T) => T = (value) => value,
): Drafted<T> {
  const person = useMe().data?.id ?? "";
  const key = `${PREFIX}${person} ${useSlug()} ${object}`;
  const [found] = useState(() => read<T>(key, Date.now()));
  const [restored, setRestored] = useState(found?.at ?? null);
  const [value, setValue] = useState(found === null ? initial : { ...initial, ...found.value }); // a field newer than the draft
  const [first, setFirst] = useState(initial);
  const changed = useRef(found !== null);
  const change = (next: T) => {
    changed.current = JSON.stringify(next) !== JSON.stringify(first);
    write(key, changed.current ? { at: Date.now(), value: keepable(next) } : null);
    setValue(next);
  };
  const done = () => {
    changed.current = false;
    write(key, null);
    setRestored(null);
  };
  const begin = (next: T) => {
    done();
    setFirst(next);
    setValue(next);
  };
  return { value, change, restored, dirty: () => changed.current, discard: () => begin(first), done, begin };
}
