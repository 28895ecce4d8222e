/** Assign errors to the fields of a form. */

import type { Fault } from "../api";

export interface PlacedFaults {
  /** The messages at each field, by the path of the field. */
  at: Readonly<Record<string, string>>;
  /** The errors of these messages. */
  placed: readonly Fault[];
  rest: readonly Fault[];
}

export function sentenceOf({ message, remedy }: Fault): string {
  return `${message} ${remedy}`;
}

/** Return the longest of `paths` that is `field` or contains it; undefined if the form has no such field. */
function pathOf(field: string, paths: readonly string[]): string | undefined {
  const leading = paths.filter((path) => field === path || field.startsWith(`${path}.`));
  return leading.toSorted((a, b) => b.length - a.length)[0];
}

/** Assign each error to the field that it is about; `paths` are the form's fields. */
export function placedFaults(faults: readonly Fault[], paths: readonly string[]): PlacedFaults {
  const at: Record<string, string> = {};
  const placed: Fault[] = [];
  const rest: Fault[] = [];
  for (const fault of faults) {
    const path = fault.field === null ? undefined : pathOf(fault.field, paths);
    (path === undefined ? rest : placed).push(fault);
    if (path !== undefined) at[path] = path in at ? `${at[path]} ${sentenceOf(fault)}` : sentenceOf(fault);
  }
  return { at, placed, rest };
}
