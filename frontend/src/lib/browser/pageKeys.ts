/** Keys of a page, without Ctrl, Alt and Meta. */

import { useEffect, useRef } from "react";

const TYPING = "input, select, textarea, [contenteditable]";
const DIALOG = "[role='dialog'], [role='alertdialog']";

/** Return true if a key press is input, or belongs to the browser: then it is no key of the page. */
export function isTyped({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return ctrlKey || metaKey || altKey || (target instanceof Element && target.closest(TYPING) !== null);
}

export interface PageKey {
  key: string;
  /** The effect in a few words, for the list of keys. */
  words: string;
  act: () => void;
}

/** Handle the keys of a page; none while a person types or a dialog is open. */
export function usePageKeys(keys: readonly PageKey[]): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isTyped(event) || document.querySelector(DIALOG) !== null) return;
      const found = latest.current.find(({ key }) => key === event.key);
      if (found === undefined) return;
      event.preventDefault();
      found.act();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}
