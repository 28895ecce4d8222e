/** The forms of the page that have unsaved changes. */

import { type RefObject, useEffect } from "react";
import type { Drafted } from "./drafts";

export interface UnsavedForm extends Pick<Drafted<unknown>, "dirty" | "discard" | "done" | "restored"> {
  /** Its name in a list of unsaved forms. */
  what?: string | undefined;
  /** Save it; false if the server refused and the form shows why. Without `save`, only the form's own button saves it. */
  save?: (() => Promise<boolean>) | undefined;
}

const OPEN = new Set<RefObject<UnsavedForm>>();

/** Register `form` while mounted. */
export function useRegisteredForm(form: RefObject<UnsavedForm>): void {
  useEffect(() => {
    OPEN.add(form);
    return () => void OPEN.delete(form);
  }, [form]);
}

/** Return the forms with unsaved changes, in the order in which they were mounted. */
export function unsavedForms(): UnsavedForm[] {
  return [...OPEN].map((each) => each.current).filter((each) => each.dirty());
}

/**
 * Save all of them, the last mounted first; false after the first refusal. Saving one may render others again, so each is
 * looked up when its turn comes.
 */
export async function saveForms(): Promise<boolean> {
  for (;;) {
    const form = unsavedForms().findLast((each) => each.save !== undefined);
    if (form?.save === undefined) return true;
    if (!(await form.save()) || form.dirty()) return false;
  }
}
