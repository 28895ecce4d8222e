/** Unsaved input, stored in this browser by person, organisation and object. */

import { useRef, useState } from "react";
import { useMe, useSlug } from "../account/session";

const PREFIX = "punctual draft ";
const KEPT_MS = 30 * 24 * 3_600_000;

/** The labels of a binding's forms. */
export const BINDING_FORMS = { settings: "query and inputs", outputs: "outputs" } as const;

export function bindingDraft(binding: string): string {
  return `binding ${binding}`;
}

export function outputsDraft(binding: string): string {
  return `outputs of ${binding}`;
}

interface Stored<T> {
  at: number;
  value: T;
}

function read<T>(key: string, now: number): Stored<T> | null {
  try {
    const found = JSON.parse(localStorage.getItem(key) ?? "null") as Stored<T> | null;
    return found !== null && now - found.at < KEPT_MS ? found : null;
  } catch {
    return null; // no storage, or unreadable content
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
  /** When the restored input was typed, in ms; null if nothing was restored. */
  restored: number | null;
  /** True with unsaved input. */
  dirty: () => boolean;
  /** Delete the draft and return to the stored value. */
  discard: () => void;
  /** Mark the input as saved or cancelled, so that leaving does not ask. */
  done: () => void;
  /** Mark the input as saved; further edits start from `value`. */
  begin: (value: T) => void;
}

function keyOf(person: string, slug: string, object: string): string {
  return `${PREFIX}${person} ${slug} ${object}`;
}

/** Return the names of those `objects` that have an unsaved draft in this browser. */
export function useDraftNames(objects: Readonly<Record<string, string>>): () => string[] {
  const person = useMe().data?.id ?? "";
  const slug = useSlug();
  const isKept = (object: string) => read(keyOf(person, slug, object), Date.now()) !== null;
  return () => Object.keys(objects).flatMap((object) => (isKept(object) ? [objects[object] ?? object] : []));
}

/** Return a function that gives the draft of one object to another, for example that of a new query to the stored one. */
export function useMoveDraft(): (from: string, to: string) => void {
  const person = useMe().data?.id ?? "";
  const slug = useSlug();
  return (from, to) => {
    const source = keyOf(person, slug, from);
    const kept = read<unknown>(source, Date.now());
    if (kept === null) return;
    write(keyOf(person, slug, to), kept);
    write(source, null);
  };
}

/**
 * A value edited by a form, initially `initial`, that survives navigation, reload and the end of the session.
 * `keepable` removes secrets from the stored draft.
 */
export function useDrafted<T extends object>(
  object: string,
  initial: T,
  keepable: (value: T) => T = (value) => value,
): Drafted<T> {
  const person = useMe().data?.id ?? "";
  const key = keyOf(person, useSlug(), object);
  const [found] = useState(() => read<T>(key, Date.now()));
  const [restored, setRestored] = useState(found?.at ?? null);
  const [value, setValue] = useState(found === null ? initial : { ...initial, ...found.value }); // for fields that are newer than the draft
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
